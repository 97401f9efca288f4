import { on } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ColumnMap, Columns } from './columns.ts'
import type { FullBatch } from './full-batch.ts'

export interface FileToRead {
  path: string
  encoding: string
  map: ColumnMap
  kind: Columns['kind'] | undefined
}

export interface Begin {
  /** The last row that need not be read again. */
  resumedAfter: number
  /** How many contacts the first batch may have. */
  capacity: number
  isSample: boolean
  keys: KeysBefore | undefined
}

/** Of those who are in the directory, for keys to be told apart from then on. */
export interface KeysBefore {
  contacts: string[]
  /** Undefined: they are too many. */
  companies: string[] | undefined
  /** So many are told apart. */
  keysMax: number
}

/** A batch may be filled. */
export interface Turn {
  /** What its rows have for the time they are written. */
  at: Date
}

export type FromReader = OpenedFile | ReadSoFar | FilledBatch | EndOfFile

export interface OpenedFile {
  type: 'opened'
  /** The same file, taken up again, has the same. */
  fingerprint: string
  bytes: number
  kind: Columns['kind']
  ignored: string[]
}

interface ReadSoFar {
  type: 'progress'
  rows: number
  bytesRead: number
}

interface FilledBatch {
  type: 'batch'
  batch: FullBatch
}

interface EndOfFile {
  type: 'end'
  rows: number
  /** Why it is not the end of what was there. */
  broken: string | undefined
}

/** A file as its rows are read, in a thread of its own. */
export class FileReading implements AsyncDisposable {
  readonly #worker: Worker
  readonly #told: AsyncIterator<[FromReader]>

  constructor(file: FileToRead) {
    const cache = getCompileCacheDir()
    this.#worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: file,
      // A thread may not have the flags of a process, and does not have its cache by itself.
      execArgv: [],
      ...(cache && { env: { NODE_COMPILE_CACHE: dirname(cache) } }),
    })
    this.#told = on(this.#worker, 'message', { close: ['exit'] }) as AsyncIterator<[FromReader]>
  }

  /** @throws with what to do when the file cannot be read */
  async opened(): Promise<OpenedFile> {
    return (await this.next()) as OpenedFile
  }

  /** What it tells next; an error there is thrown here. */
  async next(): Promise<FromReader> {
    const { value, done } = await this.#told.next()
    if (done) throw new Error('The thread that reads the file has ended before the file.')
    return value[0]
  }

  /** It fills a batch for each turn. */
  begin(begin: Begin) {
    this.#worker.postMessage(begin)
  }

  giveTurn(turn: Turn) {
    this.#worker.postMessage(turn)
  }

  async [Symbol.asyncDispose]() {
    await this.#worker.terminate()
  }
}
