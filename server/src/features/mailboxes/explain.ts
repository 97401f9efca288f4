import { type MailFailure, tokenDetail } from '../../kernel/mail/index.ts'
import { type Explanation, explainLogin, explainToken } from './explain-login.ts'
import { explainRefusal } from './explain-refusal.ts'
import type { MailboxSide } from './schema.ts'

/** What a failure means for the mailbox. */
export function explainFailure(failure: MailFailure, side: MailboxSide): Explanation {
  const server = side === 'smtp' ? 'sending server (SMTP)' : 'reading server (IMAP)'
  if (failure.detail === tokenDetail) return explainToken(failure)
  switch (failure.stage) {
    case 'connect':
      return explainConnect(failure, server, side)
    case 'tls':
      return explainTls(failure, server, side)
    case 'login':
      return explainLogin(failure, server)
    default:
      return explainRefusal(failure, server)
  }
}

const usualPorts = {
  smtp: 'usual are port 587 with STARTTLS and port 465 with TLS',
  imap: 'usual is port 993 with TLS',
}

function explainConnect(failure: MailFailure, server: string, side: MailboxSide): Explanation {
  const ports = usualPorts[side]
  switch (failure.kind) {
    case 'dns':
      return {
        what: `The host name of the ${server} was not found.`,
        remedy: 'Check its spelling with the provider of the mailbox.',
      }
    case 'blocked':
      return {
        what: `This service may not connect to the address of the ${server}.`,
        remedy: 'It is not a public address: allow it by OUTBOUND_ALLOW if it is yours.',
      }
    case 'refused':
      return {
        what: `The ${server} turned the connection away.`,
        remedy: 'It may be busy, or not like this machine: it is tried again by itself.',
      }
    case 'timeout':
      return {
        what: `The ${server} did not answer in time.`,
        remedy: `Check host, port and encryption: ${ports}. A firewall may be in the way as well.`,
      }
    case 'protocol':
      return {
        what: `What answers is not a ${server}.`,
        remedy: `Check host, port and encryption: ${ports}.`,
      }
    default:
      return {
        what: `The ${server} takes no connection on this port.`,
        remedy: `Check host and port: ${ports}.`,
      }
  }
}

function explainTls(failure: MailFailure, server: string, side: MailboxSide): Explanation {
  if (failure.detail?.startsWith('the certificate')) {
    return {
      what: `The ${server} cannot be trusted: ${failure.detail}.`,
      remedy: certificateRemedy(failure.detail),
    }
  }
  const detail = failure.detail ?? 'the handshake failed'
  return {
    what: `A secure connection to the ${server} did not come about: ${detail}.`,
    remedy: `Check port and encryption: ${usualPorts[side]}.`,
  }
}

function certificateRemedy(detail: string): string {
  if (detail.endsWith('another host name')) return 'Use the host name that its provider gives.'
  if (detail.endsWith('has expired') || detail.endsWith('is not valid yet')) {
    return "Whoever runs it has to renew the certificate; check this machine's clock as well."
  }
  return 'If the server is yours, name a file with its certificate in NODE_EXTRA_CA_CERTS and restart; else use the host name that its provider gives.'
}
