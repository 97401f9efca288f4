import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openLaboratory } from './engine/laboratory.ts'
import { findDifference, type Recording, record } from './engine/replay.ts'
import { scenarios } from './scenarios.ts'

const timeout = 600_000

test.each(scenarios)(
  '$name: a seed is the same history again, on a busy machine, with other connections and after other histories',
  { timeout },
  async (scenario) => {
    await using laboratory = await openLaboratory(scenario)
    const first: Recording[] = []
    const seeds = scenario.seeds.replayed
    for (let seed = 1; seed <= seeds; seed++) {
      first.push(await record(laboratory, scenario, seed))
    }
    if (seeds > 1) {
      // Without these there would be little to prove.
      const lines = first.flatMap((recording) => recording.lines)
      for (const event of ['dies', 'stalls', 'broke after', 'waits for a lock']) {
        expect(lines.some((line) => line.includes(event))).toBe(true)
      }
    }
    expect(new Set(first.map(({ verdict }) => verdict.digest)).size).toBe(seeds)

    await using another = await openLaboratory(scenario, { unsteady: true })
    using _load = burnAllCores()
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
  const failed = await run('deliveries --seed 1 --runs 2 --fault no-sweep')
  expect(failed.code).toBe(1)
  const found = /seed (\d+), trace (\w+):\n(.*: .*\n)+? {2}replay: npm run simulate -- (.*)\n/.exec(
    failed.output,
  )
  const [told = '', seed, , , command = ''] = found ?? []
  expect(command).toBe(`deliveries --seed ${seed} --fault no-sweep --trace`)
  expect(told).toMatch(/ {2}step \d+, [\d.]+ ms: /)

  const replayed = await run(command)
  expect(replayed.code).toBe(1)
  expect(replayed.output).toContain(told)
  const [, step] = /step (\d+)/.exec(told) ?? []
  expect(replayed.output).toMatch(new RegExp(`^ *${step} .*BROKEN: `, 'm'))
})

/** A busy process for each core, as long as it lives. */
function burnAllCores(): Disposable {
  const burning = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  )
  return {
    [Symbol.dispose]() {
      for (const child of burning) child.kill('SIGKILL')
    },
  }
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
