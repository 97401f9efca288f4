// One stream for all tabs of a browser: it gives a host six connections, and each stream holds one.

export type FromPage = { follow: string } | { leave: string }

/** Topics that have changed, `*` being all; or that the connection is lost. */
export type ToPage = { topics: string[] } | { lost: true }

interface Following {
  stream: EventSource
  pages: Set<MessagePort>
}

/** As often as pages read everything where the server has no stream for them. */
const pollEveryMs = 30_000

const workspaces = new Map<string, Following>()

// Typed by hand: TypeScript's own types of a worker and of a page exclude each other.
const worker = globalThis as unknown as { onconnect: (event: MessageEvent) => void }

worker.onconnect = ({ ports: [page] }) => {
  if (!page) return
  page.onmessage = ({ data }: MessageEvent<FromPage>) => {
    if ('follow' in data) follow(data.follow, page)
    else leave(data.leave, page)
  }
}

function follow(workspaceId: string, page: MessagePort) {
  const found = workspaces.get(workspaceId)
  if (found?.pages.has(page)) return
  if (found) {
    found.pages.add(page)
    // Nobody told it of what has changed since its first reading; a stream that opens says so itself.
    const all: ToPage = { topics: ['*'] }
    page.postMessage(all)
  } else workspaces.set(workspaceId, { stream: open(workspaceId), pages: new Set([page]) })
}

function leave(workspaceId: string, page: MessagePort) {
  const found = workspaces.get(workspaceId)
  if (!found?.pages.delete(page) || found.pages.size > 0) return
  found.stream.close()
  workspaces.delete(workspaceId)
}

function tell(workspaceId: string, message: ToPage) {
  for (const page of workspaces.get(workspaceId)?.pages ?? []) page.postMessage(message)
}

function open(workspaceId: string): EventSource {
  const stream = new EventSource(`/app/live?workspace=${workspaceId}`)
  stream.onmessage = ({ data }) => tell(workspaceId, JSON.parse(data))
  stream.onerror = () => {
    // The browser connects again by itself.
    if (stream.readyState !== EventSource.CLOSED) tell(workspaceId, { lost: true })
    else pollInstead(workspaceId, stream)
  }
  return stream
}

/** The server has no stream for this page, or not any more: what it reads now will say why. */
function pollInstead(workspaceId: string, refused: EventSource) {
  tell(workspaceId, { topics: ['*'] })
  setTimeout(() => {
    const found = workspaces.get(workspaceId)
    if (found?.stream === refused) found.stream = open(workspaceId)
  }, pollEveryMs)
}
