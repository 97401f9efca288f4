import type { CommandParts } from './imap-reader.ts'

/** An atom, a string, or a list of these. A literal stays bytes. */
export type Word = string | Buffer | Word[]

/** The words of a command; nothing when its parentheses or quotes do not match. */
export function readWords(parts: CommandParts): Word[] | undefined {
  const lists: Word[][] = [[]]
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      lists.at(-1)?.push(part)
      continue
    }
    for (const { groups: token = {} } of part.matchAll(tokenPattern)) {
      if (token.wrong) return
      if (token.open) lists.push([])
      else if (token.close) {
        const list = lists.pop()
        lists.at(-1)?.push(list ?? [])
        if (lists.length === 0) return
      } else {
        const text = token.atom ?? token.quoted?.replaceAll(/\\(.)/g, '$1')
        if (text !== undefined) lists.at(-1)?.push(text)
      }
    }
  }
  return lists.length === 1 ? lists[0] : undefined
}

export const textOf = (word: Word | undefined): string =>
  Array.isArray(word) ? '' : String(word ?? '')

/** A string as a response quotes it. */
export const quote = (text: string) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`

// An atom may have brackets with spaces and parentheses in them: BODY.PEEK[HEADER.FIELDS (TO)]<0.9>
const tokenPattern =
  / +|"(?<quoted>(?:[^"\\]|\\.)*)"|(?<open>\()|(?<close>\))|(?<atom>(?:[^\s()"[]|\[[^\]]*\])+)|(?<wrong>.)/g
