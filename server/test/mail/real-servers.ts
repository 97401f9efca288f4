import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MailServer } from '../../src/kernel/mail/index.ts'
import { choosePort } from '../../src/kernel/postgres/port.ts'
import { makeCertificate } from '../certificate.ts'

export interface RealServers extends AsyncDisposable {
  smtpPort: number
  imapPort: number
  /** Its own authority, of the host names `mail.test` and `localhost`. */
  certificate: string
  /** How somebody of `people` reaches them. */
  server(kind: 'smtp' | 'imap', address: string, more?: Partial<MailServer>): MailServer
}

/** Who has a mailbox there, all with one password. `jürgen@acme.test` is written to Juergen. */
export const people = ['anna@acme.test', 'juergen@acme.test', 'lea@lead.test', 'leo@lead.test']
const peoplesPassword = 'correct horse'

/** Addresses from which a DSN comes back; `nobody@lead.test` is refused in the dialogue. */
export const bouncing = {
  /** At once: failed, 5.1.1. */
  hard: 'somebody@hard.test',
  /** After 4 s: delayed, 4.2.2; after 10 s: failed, 4.2.2. */
  soft: 'somebody@soft.test',
}

const run = promisify(execFile)
const programs = ['/usr/sbin/postfix', '/usr/sbin/dovecot', '/usr/lib/dovecot/imap']

/** Why Debian's postfix and dovecot cannot be started here; nothing when they can. */
export const whyNoRealServers = ((): string | undefined => {
  const missing = programs.filter((path) => !existsSync(path))
  if (missing.length > 0) return `${missing.join(', ')} not installed`
  return process.getuid?.() === 0 ? undefined : 'postfix starts only as root'
})()

/** Debian's postfix and dovecot on loopback, each from a folder of its own, with submission and IMAP. */
export async function startRealServers(): Promise<RealServers> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-mail-'))
  const at = (...names: string[]) => join(folder, ...names)
  await run('chmod', ['755', folder])
  for (const name of ['postfix', 'queue', 'data', 'mail', 'dovecot']) await mkdir(at(name))
  const [nobody, postfix] = await Promise.all([userId('nobody'), userId('postfix')])
  await chown(at('mail'), nobody.uid, nobody.gid)
  await chown(at('data'), postfix.uid, postfix.gid)
  const ports = { smtp: await choosePort(), imap: await choosePort(), auth: await choosePort() }
  const { key, cert } = makeCertificate(['mail.test', 'localhost'])
  const files: Record<string, string> = {
    'key.pem': key,
    'cert.pem': cert,
    users: people.map((address) => `${address}:{PLAIN}${peoplesPassword}\n`).join(''),
    mailboxes: people.map((address) => `${address} ${folderOf(address)}\n`).join(''),
    aliases: 'jürgen@acme.test juergen@acme.test\n',
    transport: 'hard.test error:5.1.1 no such user\nsoft.test retry:4.2.2 mailbox full\n',
    // Transports that fail are otherwise refused in the dialogue, and no report comes back.
    access: 'nobody@lead.test 550 5.1.1 no such user\n',
    'dovecot.conf': dovecotConfig(folder, ports, nobody),
    'postfix/main.cf': postfixConfig(folder, ports, nobody),
    'postfix/master.cf': masterConfig(ports),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text)
  const stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  try {
    await command('dovecot', ['-c', at('dovecot.conf')])
    stack.defer(() => command('doveadm', ['-c', at('dovecot.conf'), 'stop']))
    await command('postfix', ['-c', at('postfix'), 'start'])
    stack.defer(() => command('postfix', ['-c', at('postfix'), 'abort']))
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
  return {
    ...{ smtpPort: ports.smtp, imapPort: ports.imap, certificate: cert },
    server: (kind, username, more) => ({
      ...{ host: 'mail.test', port: ports[kind], security: 'none', username },
      credential: { kind: 'password', password: peoplesPassword },
      ...more,
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

interface Ports {
  smtp: number
  imap: number
  auth: number
}

interface User {
  uid: number
  gid: number
}

/** Without pipes, which the daemons would inherit and hold open. */
async function command(program: string, args: string[]): Promise<void> {
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
}

async function userId(name: string): Promise<User> {
  const { stdout } = await run('getent', ['passwd', name])
  const [, , uid, gid] = stdout.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Maildir of an address, below that of all mail. */
function folderOf(address: string): string {
  const [name, domain] = address.split('@')
  return `${domain}/${name}/`
}

const dovecotConfig = (folder: string, ports: Ports, { uid, gid }: User) => `
base_dir = ${folder}/dovecot
log_path = ${folder}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%d/%n
mailbox_list_index = no
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%d/%n
}
namespace inbox {
  inbox = yes
  mailbox Gesendet {
    auto = create
    special_use = \\Sent
  }
  mailbox Spam {
    auto = create
    special_use = \\Junk
  }
}
service imap-login {
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${ports.auth}
  }
}
`

const postfixConfig = (folder: string, ports: Ports, { uid, gid }: User) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/maillog
maillog_file_prefixes = ${folder}
myhostname = mail.acme.test
mydestination =
mynetworks =
alias_maps =
alias_database =
local_recipient_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
append_dot_mydomain = no
biff = no
message_size_limit = 40000000
virtual_mailbox_limit = 0
virtual_mailbox_domains = acme.test, lead.test
virtual_mailbox_maps = texthash:${folder}/mailboxes
virtual_alias_maps = texthash:${folder}/aliases
virtual_mailbox_base = ${folder}/mail
virtual_transport = virtual
virtual_minimum_uid = 1
virtual_uid_maps = static:${uid}
virtual_gid_maps = static:${gid}
default_transport = discard:
transport_maps = texthash:${folder}/transport
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${ports.auth}
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_reject_unlisted_recipient = no
smtpd_recipient_restrictions = check_recipient_access texthash:${folder}/access, permit
smtpd_error_sleep_time = 0
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
delay_warning_time = 4s
maximal_queue_lifetime = 10s
bounce_queue_lifetime = 10s
queue_run_delay = 2s
minimal_backoff_time = 2s
maximal_backoff_time = 4s
`

const masterConfig = ({ smtp }: Ports) => `
127.0.0.1:${smtp} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`
