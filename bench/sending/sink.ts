import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../../server/src/kernel/postgres/port.ts'

export interface Sink extends AsyncDisposable {
  port: number
  pid: number
}

/** Postfix's `smtp-sink`: takes every mail and throws it away, at 30,000 a second. */
export async function startSink(): Promise<Sink> {
  const port = await choosePort()
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
    ...{ port, pid: Number(child.pid) },
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
