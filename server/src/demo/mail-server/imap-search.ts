import type { KeptMail } from './folder.ts'
import { isSet, readSet } from './imap-sets.ts'
import { textOf, type Word } from './imap-words.ts'

export type Criterion = (mail: KeptMail, sequence: number) => boolean

/** What SEARCH asks for, all of it; nothing when a key is not known here. */
export function readCriteria(words: Word[], mails: KeptMail[]): Criterion | undefined {
  const rest = [...words]
  const criteria: Criterion[] = []
  while (rest.length > 0) {
    const criterion = readOne(rest, mails)
    if (!criterion) return
    criteria.push(criterion)
  }
  return (mail, sequence) => criteria.every((fits) => fits(mail, sequence))
}

function readOne(rest: Word[], mails: KeptMail[]): Criterion | undefined {
  const word = rest.shift()
  if (Array.isArray(word)) return readCriteria(word, mails)
  const key = textOf(word).toUpperCase()
  if (isSet(key)) {
    const isIn = readSet(key, mails.length)
    return (_mail, sequence) => isIn(sequence)
  }
  switch (key) {
    case 'ALL':
      return () => true
    case 'SEEN':
      return (mail) => mail.flags.has('\\Seen')
    case 'UNSEEN':
      return (mail) => !mail.flags.has('\\Seen')
    case 'NOT': {
      const criterion = readOne(rest, mails)
      return criterion && ((mail, sequence) => !criterion(mail, sequence))
    }
    case 'UID': {
      const isIn = readSet(textOf(rest.shift()), mails.at(-1)?.uid ?? 0)
      return (mail) => isIn(mail.uid)
    }
    case 'SINCE': {
      const day = Date.parse(`${textOf(rest.shift())} UTC`)
      return (mail) => mail.receivedAt.getTime() >= day
    }
    case 'HEADER': {
      const [name, part] = [textOf(rest.shift()), textOf(rest.shift())]
      return (mail) => hasInHeader(mail.source, name, part)
    }
    case 'SUBJECT':
    case 'FROM':
    case 'TO': {
      const part = textOf(rest.shift())
      return (mail) => hasInHeader(mail.source, key, part)
    }
  }
}

function hasInHeader(source: Buffer, name: string, part: string): boolean {
  const end = source.indexOf('\r\n\r\n')
  const header = source.toString('utf8', 0, end < 0 ? source.length : end)
  const prefix = `${name.toLowerCase()}:`
  return header
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .toLowerCase()
    .split('\r\n')
    .some((line) => line.startsWith(prefix) && line.includes(part.toLowerCase()))
}
