import type { Query, QueryClient } from '@tanstack/react-query'
import { setConnection } from '../api/connection.ts'
import { isOf } from '../api/read-again.ts'
import { operationsOfTopic, pauseMsOf } from './live-topics.ts'
import type { FromPage, ToPage } from './live-worker.ts'

/** Without a worker that tabs can share, everything is read again this often. */
const pollEveryMs = 30_000

interface FollowOptions {
  workspaceId: string
  cache: QueryClient
  /** Something of what the session shows may have changed: the role, the workspace's name. */
  onSessionChange: () => void
}

/**
 * Reads again what the server says has changed.
 *
 * @returns a function that ends it
 */
export function followWorkspace({ workspaceId, cache, onSessionChange }: FollowOptions) {
  let isFirst = true
  const reader = createReader(async (topic) => {
    // What has just failed says so, and how to try again.
    const leavesFailed = isFirst
    isFirst = false
    // Its own reading is that of the page, which has just been opened.
    const isAnew = topic === '*' && !leavesFailed
    if (isAnew || topic === 'members' || topic === 'workspace') onSessionChange()
    const filters = {
      predicate: (query: Query) =>
        (topic === '*' || isOf(operationsOfTopic[topic] ?? [], query)) &&
        !(leavesFailed && query.state.status === 'error'),
    }
    // Another topic, or the page itself, may be reading the same.
    const isUnderWay = topic !== '*' && cache.isFetching(filters) > 0
    await cache.invalidateQueries(filters, { cancelRefetch: topic === '*' })
    return isUnderWay
  })
  const end =
    typeof SharedWorker === 'undefined' ? poll(reader.tell) : listen(workspaceId, reader.tell)
  return () => {
    end()
    reader.end()
  }
}

function poll(tell: (topic: string) => void) {
  const timer = setInterval(() => tell('*'), pollEveryMs)
  return () => clearInterval(timer)
}

function listen(workspaceId: string, tell: (topic: string) => void) {
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module' })
  const send = (message: FromPage) => worker.port.postMessage(message)
  worker.port.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if ('lost' in data) void checkServer()
    else for (const topic of data.topics) tell(topic)
  }
  const follow = () => send({ follow: workspaceId })
  const leave = () => send({ leave: workspaceId })
  follow()
  // A worker is not told that a page is gone.
  addEventListener('pagehide', leave)
  addEventListener('pageshow', follow)
  return () => {
    leave()
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', follow)
    worker.port.close()
  }
}

/** A stream may end because of whatever lies between; a server that is gone does not answer at all. */
async function checkServer() {
  const answer = await fetch('/health').catch(() => undefined)
  if (!answer?.ok) setConnection('gone')
}

/** What has no answer by then may never get one, as after a change of networks. */
const readingMsMax = 30_000

/**
 * Reads a topic at once, and again only after a while, however often it is told. What is told while it is
 * read is read afterwards: to read it at once would break off what is under way, each time anew where an
 * answer takes longer than the pause, and the database goes on with what was broken off.
 *
 * @param read tells whether some of it was being read already, and may lack what was told
 */
function createReader(read: (topic: string) => Promise<boolean>) {
  const reading = new Set<string>()
  const toldMeanwhile = new Set<string>()
  const lastRead = new Map<string, { endedMs: number; tookMs: number }>()
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  let isOver = false
  const readNow = async (topic: string) => {
    clearTimeout(waiting.get(topic))
    waiting.delete(topic)
    reading.add(topic)
    const begunMs = performance.now()
    if (await Promise.race([read(topic), after(readingMsMax)])) toldMeanwhile.add(topic)
    const endedMs = performance.now()
    lastRead.set(topic, { endedMs, tookMs: endedMs - begunMs })
    reading.delete(topic)
    if (toldMeanwhile.delete(topic)) tell(topic)
  }
  const tell = (topic: string) => {
    if (isOver || waiting.has(topic)) return
    if (reading.has(topic)) {
      toldMeanwhile.add(topic)
      return
    }
    const { endedMs, tookMs } = lastRead.get(topic) ?? {
      endedMs: Number.NEGATIVE_INFINITY,
      tookMs: 0,
    }
    const pauseMs = Math.max(pauseMsOf(topic, document.hidden), tookMs)
    const leftMs = Math.max(0, endedMs + pauseMs - performance.now())
    waiting.set(
      topic,
      setTimeout(() => void readNow(topic), leftMs),
    )
  }
  const catchUp = () => {
    if (!document.hidden) for (const topic of [...waiting.keys()]) void readNow(topic)
  }
  document.addEventListener('visibilitychange', catchUp)
  return {
    tell,
    end() {
      isOver = true
      document.removeEventListener('visibilitychange', catchUp)
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
