import { on } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { blockSize, TermNumbers } from '../terms/index.ts'
import { Batch } from './batch.ts'
import { ByteText } from './byte-text.ts'
import { openTable } from './open-table.ts'
import type { Begin, FileToRead, FromReader, KeysBefore, Turn } from './reading.ts'
import { RowReader, type SeenBefore } from './row-reader.ts'
import { SeenKeys } from './seen-keys.ts'
import { BrokenFile, openSource } from './source.ts'

/*
 * The thread that reads a file for an import, into two batches in turn: one is filled while the other
 * is written. `FileReading` is the other side.
 */

/** Often enough for somebody who looks on. */
const rowsATold = 8192

const port = parentPort as MessagePort
const asked = on(port, 'message')
const next = async <T>(): Promise<T> => (await asked.next()).value?.[0] as T
const tell = (message: FromReader) => port.postMessage(message)

const { path, encoding, map, kind } = workerData as FileToRead
await using source = await openSource(path, encoding)
const table = await openTable(source, { map, kind }).catch((error) => {
  throw error instanceof BrokenFile ? new Error(error.message) : error
})
const { fingerprint, bytes } = source
const { ignored } = table.columns
tell({ type: 'opened', fingerprint, bytes, kind: table.columns.kind, ignored })
tell({ type: 'end', ...(await read(await next<Begin>())) })
port.close()

async function read({ resumedAfter, capacity, isSample, keys }: Begin) {
  const reader = new RowReader(table, seenBefore(keys))
  const batches = [new Batch(), new Batch()]
  let numbers = new TermNumbers()
  let companyNumbers = new TermNumbers()
  const begin = async (number: number) => {
    const { at } = await next<Turn>()
    if (numbers.isLarge) numbers = new TermNumbers()
    if (companyNumbers.isLarge) companyNumbers = new TermNumbers()
    // The first batch fills up the last block: the next ones are whole blocks.
    const room = number === 0 ? capacity : blockSize
    return (batches[number % 2] as Batch).begin(number, { capacity: room, at, isSample }, numbers)
  }
  const handOver = (batch: Batch, isLast: boolean) =>
    tell({ type: 'batch', batch: batch.full(reader.close(batch), companyNumbers, isLast) })

  let batch = await begin(0)
  let rows = 0
  let broken: string | undefined
  try {
    do {
      for (; table.next(); rows++) {
        if (rows % rowsATold === 0) tell({ type: 'progress', rows, bytesRead: source.bytesRead() })
        if (table.number <= resumedAfter) continue
        reader.read(batch)
        if (!batch.isFull) continue
        handOver(batch, false)
        batch = await begin(batch.number + 1)
      }
    } while (await table.more())
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    broken = error.message
  }
  tell({ type: 'progress', rows, bytesRead: source.bytesRead() })
  handOver(batch, true)
  return { rows, broken }
}

function seenBefore(keys: KeysBefore | undefined): SeenBefore {
  if (!keys) return { contacts: undefined, companies: undefined }
  const seen = new SeenKeys(keys.keysMax)
  for (const key of keys.contacts) seen.add(ByteText.of(key))
  for (const key of keys.companies ?? []) seen.add(ByteText.of(key))
  return { contacts: seen, companies: keys.companies && seen }
}
