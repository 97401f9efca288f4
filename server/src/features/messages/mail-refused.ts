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

const namedMax = 5
const nameCharactersMax = 60
