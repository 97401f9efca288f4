import type { ParsedMessage } from './message.ts'

/** A newsletter, or what a mailing list passes on. */
export const isFromList = ({ header }: ParsedMessage): boolean =>
  header('list-id').length > 0 || header('list-unsubscribe').length > 0

/** Written to many; machines that answer one person say so, too. */
export const isBulk = ({ header }: ParsedMessage): boolean =>
  header('precedence').some((value) => /^(?:bulk|list|junk)$/i.test(value.trim()))
