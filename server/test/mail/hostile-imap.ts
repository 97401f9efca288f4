import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { startTcpServer, type TcpServer } from '../tcp-server.ts'

export interface HostileImap extends TcpServer {
  /** Bytes that a client has taken, or that are on their way to it. */
  readonly saidBytes: number
}

/**
 * An IMAP server with a folder and a mail. What it says before it answers a command is told by the command's
 * name, such as `UID FETCH`, and what follows it.
 */
export async function startHostileImap(
  say: (name: string, words: string) => Iterable<string> | undefined,
): Promise<HostileImap> {
  let saidBytes = 0
  const server = await startTcpServer((socket) => {
    const lines = createInterface({ input: socket })
    async function* answers() {
      yield '* OK [CAPABILITY IMAP4rev1 ID] ready\r\n'
      for await (const line of lines) {
        const [, tag, name = '', words = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/.exec(line) ?? []
        for (const text of say(name, words) ?? usual[name] ?? []) {
          saidBytes += text.length
          yield text
        }
        yield `${tag} OK done\r\n`
      }
    }
    pipeline(answers, socket).catch(() => undefined)
  })
  return Object.defineProperty(server as HostileImap, 'saidBytes', { get: () => saidBytes })
}

const usual: Record<string, string[]> = {
  LIST: ['* LIST () "/" INBOX\r\n'],
  EXAMINE: ['* 1 EXISTS\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 2] .\r\n'],
  'UID FETCH': ['* 1 FETCH (UID 1 RFC822.SIZE 9 BODY[]<0> {9}\r\nSubject:\n)\r\n'],
}
