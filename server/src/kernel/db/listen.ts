import type { Log } from '../log.ts'
import { NamedClient } from './client.ts'

const reconnectAfterMs = 1_000

/**
 * Calls back on every NOTIFY of a channel, on a connection of its own that is made again when it
 * breaks. What was notified meanwhile is missed: a hint may be, a fact may not.
 *
 * @returns a function that ends it
 */
export async function listen(
  url: string,
  channel: string,
  onNotify: () => void,
  log: Log,
): Promise<() => Promise<void>> {
  let stopped = false
  let client: NamedClient | undefined
  let retry: NodeJS.Timeout | undefined
  const open = async () => {
    const next = new NamedClient({ connectionString: url, application_name: 'outrider listen' })
    next.on('error', () => undefined)
    next.on('notification', onNotify)
    next.on('end', () => {
      if (stopped) return
      log.warn({ channel }, 'listening was interrupted')
      retry = setTimeout(() => void open().catch(again), reconnectAfterMs)
    })
    await next.connect()
    client = next
    await next.query(`listen ${channel}`)
    if (stopped) await next.end()
  }
  const again = () => {
    if (!stopped) retry = setTimeout(() => void open().catch(again), reconnectAfterMs)
  }
  await open()
  return async () => {
    stopped = true
    clearTimeout(retry)
    await client?.end()
  }
}
