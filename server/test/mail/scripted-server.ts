import type { Socket } from 'node:net'
import { startTcpServer, type TcpServer } from '../tcp-server.ts'

export interface ScriptedServer extends TcpServer {
  /** What came in, as it came: one entry for each time something could be read. */
  chunks: string[]
  /** Closes what is open. */
  drop(): void
}

/** A TCP server that says what a test wants, for what no real server would say. */
export async function startScriptedServer(
  greeting: string,
  answer: (chunk: string, socket: Socket) => string | undefined,
): Promise<ScriptedServer> {
  const chunks: string[] = []
  const server = await startTcpServer((socket) => {
    socket.on('data', (data) => {
      const chunk = data.toString('latin1')
      chunks.push(chunk)
      const text = answer(chunk, socket)
      if (text !== undefined) socket.write(text)
    })
    socket.write(greeting)
  })
  return Object.assign(server, {
    chunks,
    drop() {
      for (const socket of server.sockets) socket.destroySoon()
    },
  })
}

/** An SMTP server of few words: what `say` does not answer is taken. */
export function startTerseSmtp(
  say: (line: string, socket: Socket) => string | undefined,
  extensions = ['PIPELINING', 'AUTH PLAIN'],
): Promise<ScriptedServer> {
  const inMessage = new WeakSet<Socket>()
  const answer = (line: string, socket: Socket): string => {
    if (line === '.') inMessage.delete(socket)
    const said = say(line, socket)
    if (said !== undefined) return said
    if (inMessage.has(socket)) return ''
    if (line.startsWith('EHLO')) {
      const lines = ['mail.test', ...extensions]
      return lines.map((text, i) => `250${i < lines.length - 1 ? '-' : ' '}${text}\r\n`).join('')
    }
    if (line.startsWith('AUTH')) return '235 welcome\r\n'
    if (line !== 'DATA') return '250 fine\r\n'
    inMessage.add(socket)
    return '354 go on\r\n'
  }
  return startScriptedServer('220 ready\r\n', (chunk, socket) => {
    const lines = chunk.split('\r\n').filter((line) => line !== '')
    return lines.map((line) => answer(line, socket)).join('')
  })
}
