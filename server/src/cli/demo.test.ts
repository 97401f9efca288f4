import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { run } from '../../test/commands.ts'
import { makeDataDir, runOperator } from '../../test/processes.ts'
import { standardEventTypes } from '../features/events/catalogue/index.ts'

test('every kind of event is shown and verified, and nothing is left behind', async () => {
  const TMPDIR = await makeDataDir()
  const args = ['demo', '--until-done', '--json', '--leads', '60']
  // What is set for the real service does not reach the sandbox.
  const settings = { DATA_DIR: '/nowhere', OUTBOUND_POLICY: 'public', LOG_LEVEL: 'silent', TMPDIR }
  const { code, stdout, stderr } = await runOperator(args, settings)
  const lines = stdout.trim().split('\n')
  const { events, missing, seconds } = JSON.parse(lines.pop() ?? '{}')
  expect({ code, missing, refused: stderr.includes('refused') }).toEqual({
    ...{ code: 0, missing: undefined, refused: false },
  })
  expect(Object.keys(events)).toEqual(
    expect.arrayContaining([...standardEventTypes, expect.stringMatching(/^lead\.label\./)]),
  )
  expect(seconds).toBeGreaterThan(0)
  // A line for each event says that it was verified, and they add up to the last line.
  const told = lines.map((line) => JSON.parse(line) as { event: string; verified: boolean })
  expect(told.every(({ verified }) => verified)).toBe(true)
  const counts = [...Map.groupBy(told, ({ event }) => event)].map(([type, all]) => [
    ...[type, all.length],
  ])
  expect(Object.fromEntries(counts)).toEqual(events)
  expect(await readdir(TMPDIR)).toEqual([])
})

test.each([
  [['--leads', '59'], 'It must be from 60 to 1000.'],
  [['--port', '70000'], 'It must be a port.'],
])('%j is refused before anything begins', async (args, sentence) => {
  const { code, stderr } = await run('demo', ...args)
  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
})
