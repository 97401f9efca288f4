import type { ConsentProvider } from '../../../config.ts'
import { AppError } from '../../../kernel/errors.ts'
import { detailsOf } from './providers.ts'

/**
 * What happened, and what to do.
 *
 * @param missing what has to be ticked
 */
export const consentFailed = (what: string, remedy: string, missing: string[] = []) =>
  new AppError('consent_failed', `${what} ${remedy}`, {
    ...(missing.length > 0
      ? { details: missing.map((message) => ({ path: '/scope', message })) }
      : {}),
  })

export const staleState = () =>
  consentFailed(
    'This sign-in was begun by somebody else, in another workspace, or more than ten minutes ago.',
    'Begin again under Mailboxes.',
  )

/** An error that the provider sent somebody back with (RFC 6749 §4.1.2.1), or answered a code with. */
export function explainError(provider: ConsentProvider, error: string, description = ''): AppError {
  const { name } = detailsOf(provider)
  const rule = rules.find(({ says }) => says.test(`${error} ${description}`))
  const { what, remedy } = rule ?? {
    what: 'NAME ended the sign-in without saying why in a way that is known here.',
    remedy: 'Begin again; if it stays so, connect the mailbox by password.',
  }
  return consentFailed(what.replaceAll('NAME', name), remedy.replaceAll('NAME', name))
}

// Microsoft says what is wrong by the numbers of its descriptions; the first rule that fits counts.
const rules: { says: RegExp; what: string; remedy: string }[] = [
  {
    says: /admin_policy_enforced|org_internal|consent_required|AADSTS(65001|90094|90095|900941|650052|50105)\b/,
    what: 'An administrator of the organisation has to allow Outrider first.',
    remedy: 'Pass on to them what stands under “If an administrator blocks it”, then begin again.',
  },
  {
    says: /access_denied|AADSTS65004\b/,
    what: 'The consent was declined at NAME.',
    remedy: 'Nothing was changed. Begin again and allow what is asked for, or use a password.',
  },
  {
    says: /invalid_grant/,
    what: 'The sign-in took too long, or its answer was used before.',
    remedy: 'Begin again.',
  },
  {
    says: /invalid_client|unauthorized_client|invalid_scope|redirect_uri|AADSTS(7000215|700016|50011)\b/,
    what: 'NAME does not know the client of this installation as it is configured.',
    remedy: 'Whoever runs the server compares client id, secret, redirect address and scopes.',
  },
  {
    says: /temporarily_unavailable|server_error/,
    what: 'NAME is out of order at the moment.',
    remedy: 'Begin again in a few minutes.',
  },
]
