import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { makeDataDir, program } from '../../test/processes.ts'

/** What a process wrote whose output is the journal, if `isJournal`, until it ended. */
async function outputOf(settings: Record<string, string>, isJournal: boolean): Promise<string[]> {
  const path = join(await makeDataDir(), 'journal')
  await using file = await open(path, 'w')
  const { dev, ino } = fstatSync(file.fd)
  const JOURNAL_STREAM = isJournal ? `${dev}:${ino}` : `${dev}:${ino + 1}`
  const child = spawn(process.execPath, [program, 'api'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: inject('compileCache'),
      ...{ JOURNAL_STREAM, ...settings },
    },
    stdio: ['ignore', file.fd, file.fd],
  })
  await once(child, 'close')
  return (await readFile(path, 'utf8')).trim().split('\n')
}

test('in the journal each line has its priority, and what keeps the service from starting is an error', async () => {
  await using database = await testDatabase()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const settings = { DATABASE_URL: database.url, PORT: `${port}`, DATA_DIR: await makeDataDir() }
  const lines = await outputOf(settings, true)
  expect(lines).toContainEqual(expect.stringMatching(/^<6>\{"level":30,.*"outbound policy"\}$/))
  expect(lines).toContainEqual(expect.stringMatching(/^<3>Outrider cannot start\. Port/))
  expect(lines.filter((line) => !/^<[2-7]>/.test(line))).toEqual([])
  const elsewhere = await outputOf(settings, false)
  expect(elsewhere.filter((line) => line.startsWith('<'))).toEqual([])
  taken.close()
})

test('in a terminal the service tells people that it runs, and Ctrl-C stops it cleanly', async () => {
  await using database = await testDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', DATA_DIR: await makeDataDir() }
  // util-linux's `script` gives a program a terminal.
  const child = spawn(
    'script',
    ['-qefc', `exec '${process.execPath}' '${program}' api`, '/dev/null'],
    {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: inject('compileCache'), ...settings },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let shown = ''
  for await (const chunk of child.stdout) {
    shown += String(chunk)
    if (String(chunk).includes('Ctrl-C')) child.stdin.write('\u0003')
  }
  expect(shown).toMatch(/INFO.*outbound policy/)
  expect(shown).toMatch(/INFO.*stopping/)
  expect(shown).not.toContain('cannot start')
  expect(child.exitCode ?? (await once(child, 'close'))[0]).toBe(0)
})
