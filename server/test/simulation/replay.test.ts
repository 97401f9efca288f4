import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { share } from '../thoroughness.ts'
import { caughtBy } from './caught-by.ts'
import { deliveries } from './deliveries/scenario.ts'
import {
  openSimulationDatabase,
  type SimulationServer,
  startSimulationServer,
} from './engine/database.ts'
import { findDifference, type Recording, record } from './engine/replay.ts'
import { report } from './engine/report.ts'
import { catchFault } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const timeout = 600_000

let server: SimulationServer
beforeAll(async () => {
  server = await startSimulationServer()
})
afterAll(() => server[Symbol.asyncDispose]())

test.each(scenarios)(
  '$name: a seed is the same history again, on a busy machine, with other connections and after other histories',
  { timeout },
  async (scenario) => {
    await using database = await openSimulationDatabase(scenario, { server })
    const first: Recording[] = []
    const seeds = share(scenario.seeds.replayed)
    for (let seed = 1; seed <= seeds; seed++) {
      first.push(await record(database, scenario, seed))
    }
    if (seeds > 1) {
      // Without these there would be little to prove.
      const lines = first.flatMap((recording) => recording.lines)
      for (const event of ['dies', 'stalls', 'broke after', 'waits for a lock']) {
        expect(lines.some((line) => line.includes(event))).toBe(true)
      }
    }
    expect(new Set(first.map(({ verdict }) => verdict.digest)).size).toBe(seeds)

    await using another = await openSimulationDatabase(scenario, { server, unsteady: true })
    using _load = burnInBursts()
    const differences: string[] = []
    for (const recording of first.reverse()) {
      const { seed } = recording.verdict
      const difference = findDifference(recording, await record(another, scenario, seed))
      if (difference) differences.push(`seed ${seed}: ${difference}`)
    }
    expect(differences).toEqual([])
  },
)

test('the command that a violation names replays it to the same step', { timeout }, async () => {
  // The statements of a fault break rules: that is what it is for.
  captureStatements(undefined)
  await using database = await openSimulationDatabase(deliveries, { server })
  const fault = deliveries.faults.find(({ name }) => name === 'taken-ignored')
  if (!fault) expect.fail('there is no such fault')
  const remembered = caughtBy.deliveries?.[fault.name]
  // With as many violations as the command shows.
  const caught = await catchFault(database, deliveries, fault, remembered, {})
  if (!caught) expect.fail('no seed catches it')
  const { seed } = caught
  const told = report(deliveries, caught, { fault })
  const [, step] = /^ {2}step (\d+), [\d.]+ ms: /m.exec(told) ?? []
  const command = `deliveries --seed ${seed} --fault taken-ignored --trace`
  expect(told).toMatch(new RegExp(`^ {2}replay: npm run simulate -- ${command}$`, 'm'))

  const replayed = await run(command)
  expect(replayed.code).toBe(1)
  expect(replayed.output).toContain(told)
  expect(replayed.output).toMatch(new RegExp(`^ *${step} .*BROKEN: `, 'm'))
})

/** A process that takes a core for 5 ms at a time and leaves it for 15, as long as it lives. */
function burnInBursts(): Disposable {
  const program = `const never = new Int32Array(new SharedArrayBuffer(4))
    for (;;) {
      const endMs = performance.now() + 5
      while (performance.now() < endMs);
      Atomics.wait(never, 0, 0, 15)
    }`
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'ignore' })
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

function run(command: string): Promise<{ code: number | null; output: string }> {
  const program = fileURLToPath(new URL('run.ts', import.meta.url))
  const child = spawn(process.execPath, [program, ...command.split(' ')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
