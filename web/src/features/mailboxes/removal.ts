/** The key of a mailbox's removal, during which its page reads nothing of it any more. */
export const removalOf = (id: string) => ['remove-mailbox', id]
