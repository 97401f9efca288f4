import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface Sink extends AsyncDisposable {
  port: number
}

/** Postfix's `smtp-sink`: takes every mail and throws it away, at 30,000 a second. */
export async function startSink(): Promise<Sink> {
  const port = await freePort()
  // It does not want to be root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '1000'], { stdio: 'ignore' })
  const ended = Promise.race([once(child, 'error'), once(child, 'exit')])
  const failed = ended.then(() => {
    throw new Error('smtp-sink did not start: install the Debian package postfix.')
  })
  await Promise.race([answers(port), failed])
  failed.catch(() => undefined)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function answers(port: number) {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await wait(20)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
