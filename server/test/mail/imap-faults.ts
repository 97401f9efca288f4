import { createInterface } from 'node:readline'
import { createSignal } from '../signal.ts'
import { type ProxyServer, startProxy } from './proxy-server.ts'

export interface ImapFaultOptions {
  /**
   * What happens to a command: the server does not get to see it, or refuses it, or the connection breaks
   * in the middle of the answer.
   */
  fault?: (command: ImapCommand) => 'drop' | 'refuse' | 'drop-in-answer' | undefined
  /** What the server tells while the client listens, as it shall arrive. */
  tell?: (line: string) => string[]
}

interface ImapCommand {
  name: string
  /** With its tag. */
  line: string
  /** On its connection, from 1. */
  number: number
  /** From 1. */
  connection: number
}

export interface FaultyImap extends ProxyServer {
  /** Resolves when so many connections have been made. */
  connected: (count: number) => Promise<unknown>
}

/** Stands between a client and an IMAP server, and spoils what it is told to. */
export async function startImapFaults(
  serverPort: number,
  { fault = () => undefined, tell = (line) => [line] }: ImapFaultOptions,
): Promise<FaultyImap> {
  const arrival = createSignal()
  const proxy = await startProxy(serverPort, (client, server, connection) => {
    arrival.raise()
    let commands = 0
    let isListening = false
    let breaksInAnswer = false
    createInterface({ input: client }).on('line', (line) => {
      const isDone = line === 'DONE'
      if (!isDone) commands += 1
      const name = line.split(' ')[1]?.toUpperCase() ?? ''
      const what = isDone ? undefined : fault({ name, line, number: commands, connection })
      if (what === 'drop') client.destroy()
      if (what === 'refuse') {
        client.write(`${line.split(' ')[0]} NO [SERVERBUG] Internal error occurred\r\n`)
        return
      }
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
  return Object.assign(proxy, {
    connected: (count: number) => arrival.until(() => proxy.connections >= count),
  })
}
