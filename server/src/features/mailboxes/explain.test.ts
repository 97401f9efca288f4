import { expect, test } from 'vitest'
import { MailFailure, tokenDetail, tooManyMailsDetail } from '../../kernel/mail/index.ts'
import { explainFailure } from './explain.ts'

const failures: [string, MailFailure, RegExp][] = [
  [
    'a wrong password at Gmail',
    login('535 5.7.8 Username and Password not accepted.', 535),
    /refused the user name or the password.*app password/,
  ],
  ...[
    '535 5.7.8 Error: authentication failed: (reason unavailable)',
    '535 5.7.8 Error: authentication failed: UGFzc3dvcmQ6',
    '535 Incorrect authentication data',
    '535 5.7.3 Authentication unsuccessful',
    '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.',
  ].map((response): [string, MailFailure, RegExp] => [
    `a wrong password (${response})`,
    login(response, 535),
    /refused the user name or the password.*password anew/,
  ]),
  [
    'an app password wanted by Gmail',
    login('534 5.7.9 Application-specific password required.', 534),
    /wants an app password/,
  ],
  [
    'an app password wanted by Gmail over IMAP',
    login('[ALERT] Application-specific password required'),
    /wants an app password/,
  ],
  [
    'passwords switched off at Microsoft 365',
    login('535 5.7.139 Authentication unsuccessful, basic authentication is disabled.', 535),
    /switched off logins by password.*oauth2/,
  ],
  [
    'SMTP switched off at Microsoft 365',
    login('535 5.7.3 SmtpClientAuthentication is disabled for the Tenant.', 535),
    /switched off logins by password/,
  ],
  ['a login in a browser', login('[WEBALERT] Web login required.'), /wants a person to look/],
  ['too many connections', login('[ALERT] Too many simultaneous connections'), /no more logins/],
  [
    'too many connections, by Dovecot',
    login('[UNAVAILABLE] Maximum number of connections from user+IP exceeded'),
    /no more logins/,
  ],
  [
    'a wrong password, with an invitation to try again',
    login('[AUTHENTICATIONFAILED] Check your password and try again.'),
    /refused the user name or the password/,
  ],
  ['a login put off', login('454 4.7.0 Not now', 454), /no more logins/],
  [
    'TLS on the wrong port',
    new MailFailure('tls', 'tls', { detail: 'the server does not speak TLS on this port' }),
    /does not speak TLS on this port.*port 587 with STARTTLS/,
  ],
  [
    'a certificate for another host',
    new MailFailure('tls', 'tls', { detail: 'the certificate is for another host name' }),
    /certificate is for another host name.*host name that its provider/,
  ],
  ...['is self-signed', 'chain ends in an unknown authority', 'chain is incomplete'].map(
    (what): [string, MailFailure, RegExp] => [
      `a certificate of one's own (${what})`,
      new MailFailure('tls', 'tls', { detail: `the certificate ${what}` }),
      /If the server is yours.*NODE_EXTRA_CA_CERTS/,
    ],
  ),
  [
    'a certificate that has expired',
    new MailFailure('tls', 'tls', { detail: 'the certificate has expired' }),
    /Whoever runs it has to renew/,
  ],
  ['a name that nobody has', new MailFailure('connect', 'dns'), /host name.*not found/],
  ['a closed port', new MailFailure('connect', 'unreachable'), /takes no connection/],
  ['a silent port', new MailFailure('connect', 'timeout'), /did not answer/],
  ['an inner address', new MailFailure('connect', 'blocked'), /OUTBOUND_ALLOW/],
  ['a busy server', new MailFailure('connect', 'refused', { code: 421 }), /turned the connection/],
  ['no mail server', new MailFailure('connect', 'protocol'), /is not a sending server/],
  [
    'a consent that was withdrawn',
    new MailFailure('login', 'refused', { detail: tokenDetail, response: 'invalid_grant' }),
    /consent.*sign in at the provider again/,
  ],
  [
    'an application that nobody knows',
    new MailFailure('login', 'refused', { detail: tokenDetail, response: 'invalid_client' }),
    /client_id and client_secret/,
  ],
  [
    'a provider in trouble',
    new MailFailure('login', 'timeout', { detail: tokenDetail }),
    /provider of the login does not answer/,
  ],
  [
    "the quota at Gmail's",
    refused('550 5.4.5 Daily user sending limit exceeded.', 550),
    /takes no more mails.*daily limit/,
  ],
  ['the pace at Outlook', refused('432 4.3.2 Concurrent connections limit', 432), /no more mails/],
  [
    'somebody else’s address',
    refused('554 5.2.252 SendAsDenied; anna not allowed to send as bob', 554),
    /in the name of this address/,
  ],
  ['mails taken for spam', refused('550 5.7.1 looks like spam', 550), /as unwanted/],
  ...[
    '530 5.7.1 Authentication required',
    '550 5.7.57 Client was not authenticated to send anonymous mail during MAIL FROM',
    '554 5.7.1 Relay access denied',
    '535 5.7.139 Authentication unsuccessful, basic authentication is disabled',
  ].map((response): [string, MailFailure, RegExp] => [
    `a login that may not send (${response})`,
    refused(response, Number(response.slice(0, 3))),
    /does not let this login send.*port of the sending server/,
  ]),
  ...[
    "550 5.7.26 Unauthenticated email from example.com is not accepted due to its domain's DMARC policy",
    '554 5.7.1 Client host relay.example.com blocked by a list',
    '550 5.7.708 Traffic not accepted from this IP',
    ...['low reputation', 'suspended for abuse', 'suspicious or unusual mails'].map(
      (why) => `550 5.7.1 relay.example.com: ${why}`,
    ),
  ].map((response): [string, MailFailure, RegExp] => [
    `a domain that nobody trusts (${response})`,
    refused(response, Number(response.slice(0, 3))),
    /as unwanted.*SPF/,
  ]),
  ['anything else', refused('554 5.3.0 Oops', 554), /refused what was asked of it \(5\.3\.0\)/],
  [
    'a mailbox that is read too much',
    new MailFailure('imap', 'refused', { response: 'Account exceeded bandwidth limits' }),
    /^The .* server .* refused what was asked of it\./,
  ],
  ['a broken connection', new MailFailure('mail', 'closed'), /broke/],
  ['a server that goes on and on', new MailFailure('imap', 'protocol'), /far more.*delete folders/],
  [
    'an inbox of millions',
    new MailFailure('imap', 'protocol', { detail: tooManyMailsDetail }),
    /more than two million mails.*Move old ones/,
  ],
  ['a server that fell silent', new MailFailure('imap', 'timeout'), /stopped answering/],
]

function login(response: string, code: number | null = null) {
  return new MailFailure('login', 'refused', { response, code, enhanced: enhancedIn(response) })
}

function refused(response: string, code: number) {
  return new MailFailure('mail', 'refused', { response, code, enhanced: enhancedIn(response) })
}

function enhancedIn(response: string) {
  return /\d\.\d+\.\d+/.exec(response)?.[0] ?? null
}

test.each(failures)('%s is told in words of ours', (_what, failure, words) => {
  const { what, remedy } = explainFailure(failure, 'smtp')
  expect(`${what} ${remedy}`).toMatch(words)
  expect(what).toMatch(/^[A-Z].*\.$/)
  expect(remedy).toMatch(/^[A-Z].*\.$/)
})

test('the server that is meant is named', () => {
  const failure = new MailFailure('connect', 'unreachable')
  expect(explainFailure(failure, 'imap')).toEqual({
    what: 'The reading server (IMAP) takes no connection on this port.',
    remedy: 'Check host and port: usual is port 993 with TLS.',
  })
})
