import { isPassingRefusal, type MailFailure } from '../../kernel/mail/index.ts'
import { isOfThisProcess } from './access-token.ts'
import { isOfToken } from './open-mailbox.ts'

/** Two sentences for a person, in words of ours: what happened, and what to do. */
export interface Explanation {
  what: string
  remedy: string
}

export function explainToken(failure: MailFailure): Explanation {
  const { kind, response } = failure
  if (isOfThisProcess(failure)) {
    return {
      what: 'The client that this mailbox was connected with is known to another process alone.',
      remedy:
        'Give every process the same GOOGLE_CLIENT_ID or MICROSOFT_CLIENT_ID, and its secret.',
    }
  }
  if (response === 'invalid_client' || response === 'unauthorized_client') {
    return {
      what: 'The provider does not know the application that logs in.',
      remedy: 'Check client_id and client_secret.',
    }
  }
  if (kind === 'refused') {
    return {
      what: 'The consent to use this mailbox was withdrawn or has expired.',
      remedy: 'Reconnect it: sign in at the provider again, or give a new refresh token.',
    }
  }
  return {
    what: 'The provider of the login does not answer as it should.',
    remedy: 'It is tried again by itself; if it stays so, check token_url.',
  }
}

const takesNoMore: Explanation = {
  what: 'The provider takes no more logins for the moment.',
  remedy: 'It is tried again by itself; fewer programs should use the mailbox at a time.',
}

interface LoginRule {
  says: RegExp
  explanation: Explanation
}

/** What known providers say of a password. */
const passwordRules: LoginRule[] = [
  {
    says: /application-specific|app(lication)? password|InvalidSecondFactor|5\.7\.9\b/i,
    explanation: {
      what: 'The provider wants an app password in place of the usual one.',
      remedy: 'Make one in the security settings of the account and give it here.',
    },
  },
  {
    // Microsoft says 5.7.3 of a wrong password as well, and 5.7.139 with these words.
    says: /basic auth|SmtpClientAuthentication|5\.7\.139\b(?!.*credentials were incorrect)|LOGINDISABLED|login is disabled/i,
    explanation: {
      what: 'The provider has switched off logins by password for this mailbox.',
      remedy: 'Use oauth2, or have its administrator allow SMTP and IMAP for it.',
    },
  },
]

/** What they say of any login; without one of these a wrong password, where there is one, is the likeliest. */
const loginRules: LoginRule[] = [
  {
    says: /web ?login|web ?browser|WEBALERT|5\.7\.14\b/i,
    explanation: {
      what: 'The provider wants a person to look first.',
      remedy: 'Log in with a web browser, confirm what it asks, and resume the mailbox.',
    },
  },
]

export function explainLogin(failure: MailFailure, server: string): Explanation {
  const { kind, response, detail } = failure
  if (kind === 'protocol') {
    const known = detail ?? 'it does not log in as it should'
    return {
      what: `No login at the ${server}: ${known}.`,
      remedy: 'Check port and encryption: many servers offer the login only under TLS.',
    }
  }
  if (kind !== 'refused') {
    return {
      what: `The ${server} broke off during the login.`,
      remedy: 'It is tried again by itself.',
    }
  }
  const rules = isOfToken(failure) ? loginRules : [...passwordRules, ...loginRules]
  const rule = rules.find(({ says }) => says.test(response ?? ''))
  if (rule) return rule.explanation
  if (isPassingRefusal(failure)) return takesNoMore
  if (isOfToken(failure)) {
    return {
      what: `The ${server} refused the login, although the consent to use this mailbox stands.`,
      remedy:
        'Have its administrator allow IMAP and authenticated SMTP (SMTP AUTH) for it, and check that the user name is the one that signs in there.',
    }
  }
  return {
    what: `The ${server} refused the user name or the password.`,
    remedy: 'Give the password anew; with two-factor login it has to be an app password.',
  }
}
