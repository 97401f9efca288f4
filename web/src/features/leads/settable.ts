/** What a person may say of a lead; the others follow from what happens. */
export const settableStatuses = [
  ...(['interested', 'meeting_booked', 'meeting_completed', 'closed', 'not_interested'] as const),
  ...(['lost', 'wrong_person', 'no_show', 'neutral', 'out_of_office', 'completed'] as const),
]
