import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Db } from '../../kernel/db/db.ts'
import { fold } from '../../kernel/fold.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { isUnspaced, type Sought } from '../../kernel/word-pieces.ts'
import { findThreads, type ListedThread, type ThreadFilter } from './thread-list-queries.ts'
import { soughtWords, textBounds, threadQueryOf } from './thread-words.ts'
import * as words from './thread-words-queries.ts'

export interface ThreadSearch extends Omit<ThreadFilter, 'words'> {
  /** Words of the mails, or of names and addresses. */
  search?: string | undefined
}

/** A part of a text, and whether it is one of the words that were searched for. */
interface ExcerptPart {
  text: string
  is_match: boolean
}

/** Where a search found something in a mail. */
type Excerpt = ExcerptPart[]

export interface FoundThread extends ListedThread {
  /** Null: nothing was searched for, or no mail has it. */
  excerpt: Excerpt | null
}

/**
 * A page of conversations, one more than it holds. Where few have the words those are sorted, else
 * the newest are looked at one by one: either costs too much where the other is right.
 */
export async function searchThreads(
  db: Db,
  workspaceId: string,
  page: PageRequest,
  { search, ...filter }: ThreadSearch,
  now: Date,
): Promise<FoundThread[]> {
  if (!search) return (await findThreads(db, workspaceId, page, filter, now)).map(withoutExcerpt)
  const sought = soughtWords(search)
  if (sought.length === 0) return []
  const query = threadQueryOf(workspaceId, sought)
  const byIndex = (await words.countByWords(db, workspaceId, query, fewMost + 1)) <= fewMost
  const asked = { ...filter, words: { query, byIndex } }
  const rows = await findThreads(db, workspaceId, page, asked, now)
  return addExcerpts(db, workspaceId, rows, sought)
}

const fewMost = 5000

/**
 * The words of a search as they are spelt in a conversation, each once and whole where it has an end: who
 * shows the mails marks them without knowing how words are compared.
 */
export async function listFoundWords(
  db: Db,
  workspaceId: string,
  threadId: string,
  search: string,
): Promise<string[]> {
  const sought = soughtWords(search)
  if (sought.length === 0) return []
  const texts = await words.listThreadTexts(db, workspaceId, [threadId], textBounds)
  const spellings = new Set<string>()
  for (const text of texts.flatMap(({ mails }) =>
    mails.flatMap((each) => [each.subject, each.text]),
  )) {
    await othersTurn()
    for (const { start, end } of merged(matchesIn(text, sought))) {
      if (spellings.size < spellingsMost) spellings.add(text.slice(start, end))
    }
  }
  return [...spellings]
}

/** A beginning of three letters may have many words. */
const spellingsMost = 500

/**
 * What is looked through for the excerpts of a page, alike for each conversation: the fewer are found, the
 * further back. One whose words are in older mails is listed without an excerpt.
 */
const charactersOfPage = 200_000
const mailsOfExcerptMost = 20

const withoutExcerpt = (thread: ListedThread): FoundThread => ({ ...thread, excerpt: null })

async function addExcerpts(
  db: Db,
  workspaceId: string,
  threads: ListedThread[],
  sought: Sought[],
): Promise<FoundThread[]> {
  const ids = threads.map(({ id }) => id)
  const charactersMost = Math.ceil(charactersOfPage / Math.max(1, threads.length))
  const texts = await words.listThreadTexts(db, workspaceId, ids, {
    mailsMost: mailsOfExcerptMost,
    charactersMost: Math.min(charactersMost, textBounds.charactersMost),
  })
  const mailsOf = new Map(texts.map(({ id, mails }) => [id, mails]))
  const found: FoundThread[] = []
  for (const thread of threads) {
    await othersTurn()
    const mails = newestOf(mailsOf.get(thread.id) ?? [], charactersMost)
    found.push({ ...thread, excerpt: excerptOf(mails, sought) })
  }
  return found
}

interface MailText {
  subject: string
  text: string
}

/** So many that they have these characters together, the last of them whole. */
function newestOf(mails: MailText[], characters: number): MailText[] {
  let before = 0
  return mails.filter(({ subject, text }) => {
    const isLookedAt = before < characters
    before += subject.length + text.length
    return isLookedAt
  })
}

interface Match {
  start: number
  end: number
  /** Which of the words. */
  at: number
}

/** Of the newest mail that has most of the words, around the first of them. */
function excerptOf(mails: MailText[], sought: Sought[]): Excerpt | null {
  let best: { text: string; matches: Match[]; words: number } | undefined
  for (const text of mails.flatMap((mail) => [mail.text, mail.subject])) {
    const matches = matchesIn(text, sought)
    const count = new Set(matches.map(({ at }) => at)).size
    if (count > (best?.words ?? 0)) best = { text, matches, words: count }
    if (count === sought.length) break
  }
  return best ? cutAround(best.text, best.matches) : null
}

const tokens = /[\p{L}\p{N}\p{M}]+(?:['’ʼ‘`´׳״][\p{L}\p{N}\p{M}]+)*/gu
const apostrophes = /['’ʼ‘`´׳״]/g

function matchesIn(text: string, sought: Sought[]): Match[] {
  return [...text.matchAll(tokens)].flatMap(({ 0: token, index }) => {
    const folded = fold(token).replace(apostrophes, '')
    return sought.flatMap(({ piece, asPrefix }, at) => {
      if (isUnspaced(piece)) {
        const found = folded.indexOf(piece)
        if (found === -1) return []
        // Where folding has changed the length nobody knows the place in the word.
        if (folded.length !== token.length) return [{ start: index, end: index + token.length, at }]
        return [{ start: index + found, end: index + found + piece.length, at }]
      }
      if (asPrefix ? !folded.startsWith(piece) : folded !== piece) return []
      return [{ start: index, end: index + token.length, at }]
    })
  })
}

/** In order; those that touch, as neighbours of a script without spaces do, as one. */
function merged(matches: Match[]): Pick<Match, 'start' | 'end'>[] {
  const spans: Pick<Match, 'start' | 'end'>[] = []
  for (const { start, end } of matches.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end })
  }
  return spans
}

const before = 24
const charactersMost = 180

function cutAround(text: string, matches: Match[]): Excerpt {
  const first = Math.min(...matches.map(({ start }) => start))
  const start = startOfWord(text, Math.max(0, first - before), first)
  const end = Math.min(text.length, start + charactersMost)
  const parts: Excerpt = []
  let at = start
  const add = (to: number, is_match: boolean) => {
    // On one line, and no half of a character at the end.
    const part = text.slice(at, to).replace(/\s+/g, ' ').toWellFormed()
    if (part !== '') parts.push({ text: part, is_match })
    at = to
  }
  for (const match of matches.toSorted((a, b) => a.start - b.start)) {
    if (match.start < at || match.end > end) continue
    add(match.start, false)
    add(match.end, true)
  }
  add(end, false)
  return [
    ...(start > 0 ? [{ text: '… ', is_match: false }] : []),
    ...parts,
    ...(end < text.length ? [{ text: '…', is_match: false }] : []),
  ]
}

/** The first word that begins at or after a place, and before another. */
function startOfWord(text: string, from: number, to: number): number {
  if (from === 0) return 0
  const space = text.slice(from, to).search(/\s/)
  return space === -1 ? to : from + space + 1
}
