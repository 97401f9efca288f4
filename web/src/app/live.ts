import type { QueryClient } from '@tanstack/react-query'
import { setConnection } from '../api/connection.ts'
import { isOf } from '../api/read-again.ts'
import { pauseMsOf, readings } from './live-readings.ts'
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
  const reader = createReader((topic) => {
    // What has just failed says so, and how to try again.
    const leavesFailed = isFirst
    isFirst = false
    void cache.invalidateQueries({
      predicate: (query) =>
        (topic === '*' || isOf(readings[topic] ?? [], query)) &&
        !(leavesFailed && query.state.status === 'error'),
    })
    // Its own reading is that of the page, which has just been opened.
    const isAnew = topic === '*' && !leavesFailed
    if (isAnew || topic === 'members' || topic === 'workspace') onSessionChange()
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

/** Reads a topic at once, and again only after a while, however often it is told. */
function createReader(read: (topic: string) => void) {
  const readAtMs = new Map<string, number>()
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  const readNow = (topic: string) => {
    clearTimeout(waiting.get(topic))
    waiting.delete(topic)
    readAtMs.set(topic, performance.now())
    read(topic)
  }
  const tell = (topic: string) => {
    if (waiting.has(topic)) return
    const since = performance.now() - (readAtMs.get(topic) ?? Number.NEGATIVE_INFINITY)
    const leftMs = Math.max(0, pauseMsOf(topic, document.hidden) - since)
    waiting.set(
      topic,
      setTimeout(() => readNow(topic), leftMs),
    )
  }
  const catchUp = () => {
    if (!document.hidden) for (const topic of [...waiting.keys()]) readNow(topic)
  }
  document.addEventListener('visibilitychange', catchUp)
  return {
    tell,
    end() {
      document.removeEventListener('visibilitychange', catchUp)
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}
