import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface ImapFaultOptions {
  /**
   * What happens to a command: the server does not get to see it, or the connection breaks in the
   * middle of the answer.
   */
  fault?: (command: ImapCommand) => 'drop' | 'drop-in-answer' | undefined
  /** What the server tells while the client listens, as it shall arrive. */
  tell?: (line: string) => string[]
}

interface ImapCommand {
  name: string
  /** On its connection, from 1. */
  number: number
  /** From 1. */
  connection: number
}

export interface FaultyImap extends AsyncDisposable {
  port: number
  readonly connections: number
  /** Resolves when so many have been made. */
  connected: (count: number) => Promise<void>
  /** Breaks what is open. */
  drop: () => void
}

/** Stands between a client and an IMAP server, and spoils what it is told to. */
export async function startImapFaults(
  serverPort: number,
  { fault = () => undefined, tell = (line) => [line] }: ImapFaultOptions,
): Promise<FaultyImap> {
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  const listener = createServer((client) => {
    connections += 1
    for (const look of waiting) look()
    const connection = connections
    const server = connect(serverPort, '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
    let commands = 0
    let isListening = false
    let breaksInAnswer = false
    createInterface({ input: client }).on('line', (line) => {
      const isDone = line === 'DONE'
      if (!isDone) commands += 1
      const name = line.split(' ')[1]?.toUpperCase() ?? ''
      const what = isDone ? undefined : fault({ name, number: commands, connection })
      if (what === 'drop') client.destroy()
      breaksInAnswer = what === 'drop-in-answer'
      isListening = name === 'IDLE'
      server.write(`${line}\r\n`)
    })
    server.on('data', (bytes: Buffer) => {
      if (breaksInAnswer) {
        client.write(bytes.subarray(0, bytes.length / 2), () => client.destroy())
        return
      }
      const lines = bytes.toString('latin1').split(/(?<=\r\n)/)
      client.write(isListening ? Buffer.from(lines.flatMap(tell).join(''), 'latin1') : bytes)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    connected: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (connections < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    drop,
    async [Symbol.asyncDispose]() {
      drop()
      listener.close()
      await once(listener, 'close')
    },
  }
}
