import { beginningOf } from '../../kernel/text.ts'

export type RefusalCode = 'missing_variable' | 'template_error' | 'empty_subject' | 'bad_address'

/** This lead cannot be sent this step. The message says why; it is safe to show and to store. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

export function missingVariables(names: string[]): MailRefused {
  const shown = names.slice(0, namedMax).map((name) => beginningOf(name, nameCharactersMax))
  const more = names.length - shown.length
  return new MailRefused(
    'missing_variable',
    `The lead has no ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}, and the template ` +
      'gives no default.',
  )
}

/** The names that such a message has: those that were cut, or are not named, are left out. */
export function missingIn(message: string): string[] {
  const named = /^The lead has no (.+?)(?: and \d+ more)?, and the template gives no default\.$/s
  return named.exec(message)?.[1]?.split(', ') ?? []
}

const namedMax = 5
const nameCharactersMax = 60
