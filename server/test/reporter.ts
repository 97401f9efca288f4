import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

export interface Counts {
  passed: number
  failed: number
  skipped: number
  /** What failed, file by file. */
  failures: { file: string; tests: string[] }[]
  /** What tests say of themselves that passed, to be looked at. */
  notes: string[]
  /** Failures that belong to no file: errors outside of tests, the global set-up. */
  elsewhere: number
}

/** Ends the output with one plain line, and writes the counts as JSON where a caller adds them up. */
export class CountReporter implements Reporter {
  readonly #countsFile: string | undefined
  readonly #counts: Counts = {
    ...{ passed: 0, failed: 0, skipped: 0, failures: [], notes: [], elsewhere: 0 },
  }

  constructor(countsFile?: string) {
    this.#countsFile = countsFile
  }

  onInit(): void {
    // The global set-up ends after the last event that a reporter hears of.
    process.once('exit', (code) => this.#finish(code))
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const module of modules) this.#count(module)
    this.#counts.failed += errors.length
    // What a failed test leaves behind fails with it.
    const failed = modules.filter((module) => module.state() === 'failed')
    const paths = new Set(failed.map(({ moduleId }) => moduleId))
    const others = errors.filter(({ VITEST_TEST_PATH: path }) => !paths.has(String(path)))
    this.#counts.elsewhere += others.length
  }

  #count(module: TestModule) {
    const failed: string[] = []
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result()
      // A test that has not ended was cut off.
      const counted = state === 'pending' ? 'failed' : state
      this.#counts[counted] += 1
      for (const { message } of test.annotations()) {
        this.#counts.notes.push(`${test.fullName}: ${message}`)
      }
      if (counted === 'failed') failed.push(`${test.fullName}: ${firstLine(errors)}`)
    }
    // A file that could not be loaded, or whose hooks failed, has no failed test to show for it.
    if (module.state() === 'failed' && failed.length === 0) {
      this.#counts.failed += 1
      failed.push(firstLine(module.errors()))
    }
    const file = module.relativeModuleId
    if (failed.length > 0) this.#counts.failures.push({ file, tests: failed })
  }

  #finish(code: number) {
    const counts = this.#counts
    // Failed as a whole: the global set-up.
    if (code !== 0 && counts.failed === 0) counts.failed = counts.elsewhere = 1
    const tail = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    for (const note of counts.notes) console.log(`NOTE: ${note}`)
    console.log(`${counts.passed} passed, ${counts.failed} failed${tail}`)
    if (this.#countsFile) writeFileSync(this.#countsFile, JSON.stringify(counts))
  }
}

const firstLine = (errors: readonly SerializedError[] = []) =>
  errors[0]?.message?.split('\n')[0] ?? 'no reason was told'
