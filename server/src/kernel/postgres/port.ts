import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port on loopback, the preferred one if nobody has it. Below the range that systems give to
 * outgoing connections: there a client that reconnects while PostgreSQL restarts can be given
 * PostgreSQL's own port, connect to itself and keep it.
 */
export async function choosePort(preferred?: number): Promise<number> {
  if (preferred && (await isFree(preferred))) return preferred
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(15_000, 32_000)
    if (await isFree(port)) return port
  }
  throw new Error('No free TCP port was found on 127.0.0.1 for PostgreSQL.')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
