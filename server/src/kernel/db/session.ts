import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyInto, to as copyOutOf } from 'pg-copy-streams'
import { fromPool, type Pool, type ProcessDb, poolOf } from './db.ts'

/** One connection for oneself: what COPY and temporary tables need. */
export interface Session {
  db: ProcessDb
  /**
   * Sends what a `copy … from stdin` reads, in chunks. Inside a transaction of this session it is part
   * of it.
   *
   * @returns rows written
   */
  copyFrom: (text: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>) => Promise<number>
  /** What a `copy … to stdout` sends. Nothing else is asked of the session until it has ended. */
  copyTo: (text: string) => Readable
}

/** The connection goes back to the pool when `work` has ended, or away when it broke. */
export async function withSession<T>(
  db: ProcessDb,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const pool = poolOf(db)
  if (!pool) throw new Error('A session of its own cannot be had inside a transaction.')
  const client: PoolClient = await pool.connect()
  try {
    const result = await work({
      db: fromPool(poolOfOne(client)).db,
      async copyFrom(text, chunks) {
        const copying = client.query(copyInto(text))
        // One chunk is on its way and one is ready, and none is asked for before.
        await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), copying)
        return copying.rowCount
      },
      copyTo: (text) => client.query(copyOutOf(text)),
    })
    client.release()
    return result
  } catch (error) {
    // Whatever it was in the middle of: the next user gets a connection that is in nothing.
    client.release(true)
    throw error
  }
}

/** Lends the same connection each time; it is never given back from there. */
function poolOfOne(client: PoolClient): Pool {
  const lent = { query: client.query.bind(client), release: () => undefined }
  return {
    connect: async () => lent,
    query: lent.query,
    end: async () => undefined,
    totalCount: 1,
    idleCount: 0,
    waitingCount: 0,
  } as unknown as Pool
}
