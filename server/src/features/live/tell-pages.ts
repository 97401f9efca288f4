import { sql } from 'kysely'
import { type AnyContext, type ProcessContext, processOf } from '../../kernel/context.ts'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isClosed } from '../../kernel/db/failure.ts'
import { describeError } from '../../kernel/log.ts'
import { readMessage, type Told, takeMessages } from './message.ts'
import type { Topic } from './topics.ts'

export const liveChannel = 'outrider_live'

const tellEveryMs = 250
const messagesMax = 4
/** In a row: half a minute after the first of them it is given up. */
const failuresMax = 10
const pauseMaxMs = 4_000

/**
 * Tells open pages, in whichever process they are connected to, what of a workspace has changed;
 * after the commit, gathered into one NOTIFY per process and quarter of a second. It is a hint: a
 * page that misses it reads everything again when it is connected next.
 */
export function tellPages(tx: AnyContext, workspaceId: string, topics: Iterable<Topic>) {
  if (tx.afterCommit) tx.afterCommit((ctx) => gather(ctx, workspaceId, topics))
  else gather(processOf(tx), workspaceId, topics)
}

/** What the next message says, by the pool that it goes through. */
const gathered = new WeakMap<ProcessDb, Told>()

function gather(ctx: ProcessContext, workspaceId: string, topics: Iterable<Topic>) {
  const pending = gathered.get(ctx.db)
  const told: Told = pending ?? new Map()
  note(told, workspaceId, topics)
  if (pending) return
  gathered.set(ctx.db, told)
  void keepTelling(ctx, told)
}

function note(told: Told, workspaceId: string, topics: Iterable<string>) {
  const known = told.get(workspaceId)
  if (known) for (const topic of topics) known.add(topic)
  else told.set(workspaceId, new Set(topics))
}

async function keepTelling(ctx: ProcessContext, told: Told) {
  let failures = 0
  try {
    while (told.size > 0) {
      const messages = takeMessages(told, messagesMax)
      try {
        await sql`
          select pg_notify(${liveChannel}, message)
          from unnest(${messages}::text[]) as messages (message)`.execute(ctx.db)
        failures = 0
      } catch (error) {
        failures += 1
        if (failures === failuresMax || isClosed(error)) throw error
        for (const message of messages) {
          for (const [workspaceId, topics] of readMessage(message)) note(told, workspaceId, topics)
        }
      }
      await ctx.sleep(Math.min(pauseMaxMs, tellEveryMs * 2 ** failures))
    }
  } catch (error) {
    ctx.log.debug(describeError(error), 'pages were not told of a change')
  } finally {
    gathered.delete(ctx.db)
  }
}
