export type RefusalCode = 'missing_variable' | 'template_error' | 'empty_subject' | 'bad_address'

/** This lead cannot be sent this step. The message says why, safe to show and to store. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
