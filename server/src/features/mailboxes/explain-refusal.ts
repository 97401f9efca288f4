import { type MailFailure, tooManyMailsDetail } from '../../kernel/mail/index.ts'
import type { Explanation } from './explain-login.ts'

const unwanted: Explanation = {
  what: 'The provider refuses mails of this mailbox as unwanted.',
  remedy: 'Look into the account; send less and check SPF, DKIM and DMARC before resuming.',
}

/** Of what is sent; the first that fits is told. */
const refusalRules: { says: RegExp; explanation: Explanation }[] = [
  {
    says: /\bquota|\blimit|\brate\b|too many|exceeded|5\.4\.5\b|4\.7\.28\b|4\.3\.2\b/i,
    explanation: {
      what: 'The provider takes no more mails from this mailbox for now.',
      remedy: 'It goes on by itself; lower the daily limit if it happens again.',
    },
  },
  {
    says: /SendAs|not (owned|allowed to send)|sender address rejected|5\.7\.60\b/i,
    explanation: {
      what: 'The login may not send in the name of this address.',
      remedy: 'Use the login of the address, or allow it to send as the address.',
    },
  },
  {
    says: /spam|block|suspicious|unusual|abuse|reputation|suspended|\bspf\b|\bdkim\b|\bdmarc\b/i,
    explanation: unwanted,
  },
  {
    says: /authenticat|\brelay|5\.7\.57\b/i,
    explanation: {
      what: 'The server does not let this login send.',
      remedy: 'Check user name, password and port of the sending server.',
    },
  },
  // Servers also say these of a login that may not send, which the rule before tells.
  { says: /disabled|5\.7\.\d+/i, explanation: unwanted },
]

export function explainRefusal(failure: MailFailure, server: string): Explanation {
  if (failure.kind === 'refused') {
    const rule = refusalRules.find(({ says }) => says.test(failure.response ?? ''))
    if (rule && failure.stage !== 'imap') return rule.explanation
    const code = failure.enhanced ?? failure.code
    return {
      what: `The ${server} refused what was asked of it${code ? ` (${code})` : ''}.`,
      remedy: 'It is tried again by itself; ask its provider if it stays so.',
    }
  }
  if (failure.kind === 'timeout') {
    return {
      what: `The ${server} stopped answering.`,
      remedy: 'It is tried again by itself.',
    }
  }
  if (failure.detail === tooManyMailsDetail) {
    return {
      what: 'The inbox, or another folder that is read, has more than two million mails.',
      remedy:
        'Move old ones into a folder of their own, or delete them: it is tried again by itself.',
    }
  }
  if (failure.kind === 'protocol') {
    const many = failure.stage === 'imap' ? 'delete folders if there are thousands, or ' : ''
    return {
      what: `The ${server} answered something else than it was asked for, or far more.`,
      remedy: `It is tried again by itself. If it stays so, ${many}ask its provider to mend it.`,
    }
  }
  return {
    what: `The connection to the ${server} broke.`,
    remedy: 'It is tried again by itself.',
  }
}
