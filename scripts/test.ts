// `npm test`: every check and test, one after the other, and one line that adds them up.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Step {
  name: string
  command: [string, ...string[]]
  /** Below the repository's root. */
  folder?: string
  /** Over that of all steps. */
  env?: NodeJS.ProcessEnv
}

/** Each counts as one, passed or failed, except tests, which count themselves. */
const steps: Step[] = [
  { name: 'check', command: ['npm', 'run', '--silent', 'check'] },
  { name: 'tests', command: ['vitest', 'run'], folder: 'server' },
  {
    name: 'responsiveness',
    command: ['vitest', 'run', '.responsive.'],
    folder: 'server',
    env: { COVERAGE: '0' },
  },
  { name: 'database types', command: ['node', 'scripts/database-types.ts', '--check'] },
  { name: 'OpenAPI document', command: ['node', 'scripts/openapi.ts', '--check'] },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'outrider-counts-'))
const countsFile = join(scratch, 'counts.json')
const env = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  COVERAGE: '1',
  TEST_COUNTS_FILE: countsFile,
}

let running: ChildProcess | undefined
let interrupted: NodeJS.Signals | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = signal
    // In a terminal Ctrl-C reaches the step by itself; a second one would be "at once".
    if (signal === 'SIGTERM' || !process.stdin.isTTY) running?.kill(signal)
  })
}

const total = { passed: 0, failed: 0, skipped: 0 }
const report: string[] = []
for (const step of steps) {
  if (interrupted) break
  console.log(`\n— ${step.name}: ${step.command.join(' ')}`)
  const startedMs = performance.now()
  const ok = await run(step)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  report.push(`${ok ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${step.name}`)
  add(step.command[0] === 'vitest' ? readCounts() : { passed: ok ? 1 : 0 }, ok)
}
rmSync(scratch, { recursive: true })

console.log(`\n${report.join('\n')}${interrupted ? '\nInterrupted.' : ''}\n`)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = interrupted ? 130 : Math.min(total.failed, 1)

function run({ command: [program, ...args], folder = '.', env: own = {} }: Step): Promise<boolean> {
  return new Promise((resolve) => {
    running = spawn(program, args, {
      cwd: join(root, folder),
      env: { ...env, ...own },
      stdio: 'inherit',
    })
    running.once('error', () => resolve(false))
    running.once('exit', (code) => resolve(code === 0))
  })
}

function add(counts: Partial<typeof total>, ok: boolean) {
  total.passed += counts.passed ?? 0
  total.skipped += counts.skipped ?? 0
  total.failed += Math.max(counts.failed ?? 0, ok ? 0 : 1)
}

/** Nothing was written when the tests did not get as far as their end. */
function readCounts(): Partial<typeof total> {
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8'))
    rmSync(countsFile)
    return counts
  } catch {
    return {}
  }
}
