/** The key of a webhook's deletion, during which its page reads nothing of it any more. */
export const deletionOf = (id: string) => ['delete-webhook', id]
