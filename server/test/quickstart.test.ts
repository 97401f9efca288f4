import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, test } from 'vitest'
import { choosePort } from '../src/kernel/postgres/port.ts'
import { startService } from './processes.ts'
import { quickDirectory } from './quick-directory.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(join(root, 'docs/quickstart.md'), 'utf8')
const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '')

test('the quick start works word for word, from the first key to a verified webhook', async () => {
  expect(blocks[0]).toBe('npm start\n')
  const folder = await mkdtemp(join(await quickDirectory(), 'outrider-quickstart-'))
  // PostgreSQL may still be writing its last files.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'data'))
  await using service = startService('main', { DATA_DIR: join(folder, 'data') })
  const address = await service.address()

  // The ports alone differ from what is printed: a machine may run several tests at once.
  const receiverPort = await choosePort()
  const script = [
    ...blocks
      .slice(1)
      .map((block) =>
        block
          .replaceAll('http://127.0.0.1:3000', address)
          .replaceAll('127.0.0.1:4000', `127.0.0.1:${receiverPort}`)
          .replaceAll('listen(4000', `listen(${receiverPort}`),
      ),
    // What a person does by looking again: the delivery takes some milliseconds.
    'for i in $(seq 100); do grep -q lead.interested.ada@example.com data/receiver.log && break; sleep 0.1; done',
    'echo; cat data/receiver.log; kill $!',
  ].join('\n')
  const output = await runShell(script, folder)

  expect(output).toContain('"success":true,"status_code":204')
  expect(output).toContain('"leads_uploaded":2')
  expect(output).toContain('"status":"interested"')
  expect(output).toMatch(/"total_events":\d/)
  expect(output).toContain('verified lead.interested ada@example.com')
  expect(output).toContain('"credits_charged":1,"balance":999')
  expect(output).toMatch(/^leads_uploaded +1$/m)
  expect(output).toMatch(/^balance +999$/m)
  expect(output).toContain('{"balance":999,')
  expect(output).not.toContain('refused')
})

async function runShell(script: string, cwd: string): Promise<string> {
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const shell = spawn('bash', ['-e'], {
    cwd,
    env: {
      HOME: cwd,
      PATH: path,
      DATA_DIR: join(cwd, 'data'),
      NODE_COMPILE_CACHE: inject('compileCache'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  shell.stdout.on('data', (chunk) => {
    output += chunk
  })
  shell.stderr.on('data', (chunk) => {
    output += chunk
  })
  shell.stdin.end(script)
  const [code] = await once(shell, 'close')
  expect(code, output).toBe(0)
  return output
}
