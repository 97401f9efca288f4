// `npm test`: every check and test, and one line that adds them up. With THOROUGH=1, as before a
// release, random cases are tried in full. `npm test -- FILE …` runs these test files only,
// by their paths below server/.
//
// A test file that fails beside others is run once more alone. If it passes, it is named as flaky, which
// is a fault to mend, and the run goes on: what else it would tell is worth more than its colour.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Counts } from '../server/test/reporter.ts'

interface Step {
  name: string
  command: string[]
  /** Below the repository's root. */
  folder?: string
  /** Over that of all steps. */
  env?: NodeJS.ProcessEnv
}

const scratch = mkdtempSync(join(tmpdir(), 'outrider-counts-'))
const countsFile = join(scratch, 'counts.json')
const functionsFile = join(scratch, 'functions')
const root = fileURLToPath(new URL('..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The parts of `npm run check` and the like: each counts as one. Two run at a time. */
const checks: Step[] = [
  ...scripts.check.split(' && ').map((part: string) => ({ name: part, command: part.split(' ') })),
  { name: 'database types', command: ['node', 'scripts/database-types.ts', '--check'] },
  { name: 'OpenAPI document', command: ['node', 'scripts/openapi.ts', '--check'] },
]

/** Once all have run. */
const functionsRun: Step = {
  name: 'functions of query files that no test runs',
  command: ['node', 'server/test/statements/check-functions.ts'],
  env: { FUNCTIONS_FILE: functionsFile },
}

/** All test files of a folder's project, or these. */
interface TestRun {
  name: string
  folder: 'server' | 'web'
  project: 'server' | 'responsive' | 'pages'
  /** Below the folder. */
  files?: string[]
  env?: NodeJS.ProcessEnv
}

const named = process.argv.slice(2)

/** The runs count themselves, and run one after the other. */
const testRuns: TestRun[] =
  named.length > 0
    ? [{ name: 'tests', folder: 'server', project: 'server', files: named }]
    : [
        // One file of this run is not enough to say what is never run.
        {
          name: 'tests',
          folder: 'server',
          project: 'server',
          env: { FUNCTIONS_FILE: functionsFile },
        },
        { name: 'responsiveness', folder: 'server', project: 'responsive' },
        { name: 'application', folder: 'web', project: 'pages' },
      ]

/** More than these fail for a reason that they share. */
const flakyMax = 3

const env = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  TEST_COUNTS_FILE: countsFile,
}

const running = new Set<ChildProcess>()
let interrupted: NodeJS.Signals | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = signal
    // In a terminal Ctrl-C reaches the step by itself; a second one would be "at once".
    if (signal === 'SIGTERM' || !process.stdin.isTTY)
      for (const child of running) child.kill(signal)
  })
}

const total = { passed: 0, failed: 0, skipped: 0 }
const report: string[] = []
const waiting = named.length > 0 ? [] : [...checks]
await Promise.all([runChecks(), runChecks()])
for (const run of testRuns) if (!interrupted) await runTests(run)
if (named.length === 0 && !interrupted) await check(functionsRun)
rmSync(scratch, { recursive: true })

console.log(`\n${report.join('\n')}${interrupted ? '\nInterrupted.' : ''}\n`)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = interrupted ? 130 : Math.min(total.failed, 1)

/** What failed beside others runs once more alone. */
async function runTests(run: TestRun) {
  const first = await runOnce(run)
  const { failures = [], notes = [], elsewhere } = first.counts
  report.push(...notes.map((note) => `NOTE: ${note}`))
  for (const { file, tests } of failures) {
    report.push(...tests.map((test) => `       failed: ${file} > ${test}`))
  }
  const mayBeFlaky = failures.length > 0 && failures.length <= flakyMax && !elsewhere
  if (first.ok || !mayBeFlaky || interrupted) return add(first.counts, first.ok)
  const files = failures.map(({ file }) => file)
  const alone = await runOnce({ ...run, name: `once more, alone: ${files.join(', ')}`, files })
  if (!alone.ok) return add(first.counts, false)
  report.push(`FLAKY: ${files.join(', ')} failed beside others and passed alone. Mend it.`)
  const { passed = 0, failed = 0 } = first.counts
  add({ ...first.counts, passed: passed + failed, failed: 0 }, true)
}

async function runOnce({ project, files, ...step }: TestRun) {
  const command = ['vitest', 'run', '--project', project, ...(files ?? [])]
  console.log(`\n— ${step.name}: ${command.join(' ')}`)
  const ok = await timed({ ...step, command }, 'inherit')
  return { ok, counts: readCounts() }
}

/** What a check says is printed when it has said all. */
async function runChecks() {
  for (let step = waiting.shift(); step && !interrupted; step = waiting.shift()) await check(step)
}

async function check(step: Step) {
  const ok = await timed(step, 'pipe')
  add({ passed: ok ? 1 : 0 }, ok)
}

async function timed(step: Step, output: 'inherit' | 'pipe'): Promise<boolean> {
  const startedMs = performance.now()
  const ok = await run(step, output)
  const seconds = (performance.now() - startedMs) / 1000
  report.push(`${ok ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${step.name}`)
  return ok
}

async function run(step: Step, output: 'inherit' | 'pipe'): Promise<boolean> {
  const [program = '', ...args] = step.command
  const child = spawn(program, args, {
    cwd: join(root, step.folder ?? '.'),
    env: { ...env, ...step.env },
    stdio: ['inherit', output, output],
  })
  running.add(child)
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  if (child.stdout && child.stderr) {
    const said = await Promise.all([text(child.stdout), text(child.stderr)])
    console.log(`\n— ${step.name}\n${said.join('').trimEnd()}`)
  }
  const ok = await ended
  running.delete(child)
  return ok
}

function add(counts: Partial<Counts>, ok: boolean) {
  total.passed += counts.passed ?? 0
  total.skipped += counts.skipped ?? 0
  total.failed += Math.max(counts.failed ?? 0, ok ? 0 : 1)
}

/** Nothing was written when the tests did not get as far as their end. */
function readCounts(): Partial<Counts> {
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8'))
    rmSync(countsFile)
    return counts
  } catch {
    return {}
  }
}
