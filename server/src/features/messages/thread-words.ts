import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { quoted, vectorOf } from '../../kernel/db/tsvector.ts'
import { wordsOf } from '../../kernel/fold.ts'
import { nilId } from '../../kernel/ids.ts'
import { piecesOf, type Sought, soughtIn } from '../../kernel/word-pieces.ts'
import { findFirstKept } from './retention.ts'
import { clearExcerpts } from './thread-queries.ts'
import * as queries from './thread-words-queries.ts'

/** What is searched of a conversation, and looked through for what was found. */
export const textBounds = { mailsMost: 50, charactersMost: 16_000 }

const { piecesMost } = queries

/** Makes conversations found by what is in them now, in the transaction that changes them. */
export async function indexThreads(tx: Context, workspaceId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await queries.lockThreads(tx.db, workspaceId, ids)
  const threads = await queries.listThreadTexts(tx.db, workspaceId, ids, textBounds)
  const rows: queries.ThreadWords[] = []
  for (const { id, oldest_message_id, ...texts } of threads) {
    await othersTurn()
    const words = threadWordsOf(workspaceId, texts)
    rows.push({ thread_id: id, oldest_message_id, words })
  }
  await queries.upsertThreadWords(tx.db, workspaceId, rows, tx.now())
}

/** What a conversation is found by, as a `tsvector` is written. */
export function threadWordsOf(workspaceId: string, texts: SearchedTexts): string {
  return vectorOf(piecesIn(texts).map((piece) => markOf(workspaceId) + piece))
}

type SearchedTexts = Pick<queries.ThreadTexts, 'people' | 'mails'>

/** Each once. */
function piecesIn({ people, mails }: SearchedTexts): string[] {
  const pieces = new Set<string>()
  for (const text of [people, ...mails.flatMap(({ subject, text }) => [subject, text])]) {
    for (const piece of piecesOf(text)) {
      if (pieces.size === piecesMost) return [...pieces]
      pieces.add(piece)
    }
  }
  return [...pieces]
}

/**
 * What the words of a workspace begin with: a search reads the entries of the index that are its own.
 * Workspaces that have the same cost each other time and nothing else.
 */
const markOf = (workspaceId: string) => workspaceId.slice(-4)

/** The words of a search, the last of which may be going on; none, if there is no letter in it. */
export function soughtWords(search: string): Sought[] {
  const words = wordsOf(search).slice(0, wordsMost)
  return words.flatMap((word, at) =>
    soughtIn(word).map(({ piece, asPrefix }) => ({
      ...{ piece, asPrefix: asPrefix && at === words.length - 1 },
    })),
  )
}

/** Nobody types more. */
const wordsMost = 20

/** As a `tsquery` is written: all of the words. */
export const threadQueryOf = (workspaceId: string, sought: Sought[]): string =>
  sought
    .map(({ piece, asPrefix }) => quoted(markOf(workspaceId) + piece) + (asPrefix ? ':*' : ''))
    .join(' & ')

const batch = 20
const clearedAtOnce = 1000

/**
 * Upkeep of what conversations are found by. What retention has dropped is forgotten first, with the words
 * of the rest of those conversations, which are found again by what is made anew.
 */
export async function renewThreadWords(
  ctx: Context,
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> {
  await forgetDroppedWords(ctx, workspaceId)
  await indexMissingThreads(ctx, workspaceId, signal)
}

/** The words of mails that are gone, and what a conversation shows of its last one. */
async function forgetDroppedWords(ctx: Context, workspaceId: string): Promise<void> {
  const firstId = await findFirstKept(ctx)
  if (firstId === undefined) return
  await queries.deleteWordsBefore(ctx.db, workspaceId, firstId)
  while ((await clearExcerpts(ctx.db, workspaceId, firstId, clearedAtOnce)) === clearedAtOnce);
}

/** What is not found yet, or by words that it had before, a few at a time. */
async function indexMissingThreads(
  ctx: Context,
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> {
  let after = nilId
  while (!signal.aborted) {
    const ids = await queries.listThreadsToIndex(ctx.db, workspaceId, after, batch)
    const last = ids.at(-1)
    if (last === undefined) return
    await transaction(ctx, (tx) => indexThreads(tx, workspaceId, ids))
    after = last
  }
}
