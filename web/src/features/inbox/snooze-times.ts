export const snoozeChoices = ['hours', 'tomorrow', 'days', 'week', 'month'] as const
export type SnoozeChoice = (typeof snoozeChoices)[number]

const daysOf = { tomorrow: 1, days: 3, month: 30 }

/** When somebody looks again: at nine in the morning of their own calendar, or in three hours. */
export function snoozeTime(choice: SnoozeChoice, now: Date): string {
  const time = new Date(now)
  if (choice === 'hours') time.setTime(time.getTime() + 3 * 3_600_000)
  else {
    // The next Monday, of which Sunday is the day before.
    const days = choice === 'week' ? (8 - time.getDay()) % 7 || 7 : daysOf[choice]
    time.setDate(time.getDate() + days)
    time.setHours(9, 0, 0, 0)
  }
  return time.toISOString()
}
