import { MailFailure } from './failure.ts'
import type { MailServer } from './mail.ts'
import { type Reply, refusal } from './reply.ts'
import type { SmtpWire } from './smtp-wire.ts'

/** What EHLO was answered with, by keyword in upper case. */
export type Extensions = ReadonlyMap<string, string>

/** @throws MailFailure */
export async function sayHello(
  wire: SmtpWire,
  name: string,
  timeoutMs: number,
): Promise<Extensions> {
  wire.write(`EHLO ${name}\r\n`)
  const reply = await wire.read('connect', timeoutMs)
  if (reply.code !== 250) throw refusal('connect', reply)
  const extensions = new Map<string, string>()
  for (const line of reply.text.split('\n').slice(1)) {
    const [keyword = '', ...words] = line.toUpperCase().split(/[ =]/)
    // Some say AUTH twice, in the old form and the new.
    const known = extensions.get(keyword)
    extensions.set(keyword, [...(known ? [known] : []), ...words].join(' '))
  }
  return extensions
}

/** AUTH, by the strongest way that both sides know. @throws MailFailure */
export async function logIn(
  wire: SmtpWire,
  { username, credential }: MailServer,
  extensions: Extensions,
  timeoutMs: number,
): Promise<void> {
  const offered = extensions.get('AUTH')?.split(' ') ?? []
  const ask = async (line: string): Promise<Reply> => {
    wire.write(`${line}\r\n`)
    return await wire.read('login', timeoutMs)
  }
  if (credential.kind === 'oauth2') {
    if (!offered.includes('XOAUTH2')) throw noWayIn('XOAUTH2')
    const token = `user=${username}\x01auth=Bearer ${credential.accessToken}\x01\x01`
    const first = await ask(`AUTH XOAUTH2 ${encode(token)}`)
    // The reason comes as a challenge; an empty answer to it brings the refusal.
    return accept(first.code === 334 ? await ask('') : first)
  }
  const { password } = credential
  if (offered.includes('PLAIN')) {
    return accept(await ask(`AUTH PLAIN ${encode(`\0${username}\0${password}`)}`))
  }
  if (!offered.includes('LOGIN')) throw noWayIn('a password')
  const named = await expect334(await ask('AUTH LOGIN'), () => ask(encode(username)))
  accept(await expect334(named, () => ask(encode(password))))
}

/** 235, says RFC 4954; a few servers answer as to any other command. */
function accept(reply: Reply): void {
  if (reply.code !== 235 && reply.code !== 250) throw refusal('login', reply)
}

function expect334(reply: Reply, next: () => Promise<Reply>): Promise<Reply> {
  if (reply.code !== 334) throw refusal('login', reply)
  return next()
}

const noWayIn = (way: string) =>
  new MailFailure('login', 'protocol', { detail: `the server offers no login by ${way}` })

const encode = (text: string) => Buffer.from(text).toString('base64')
