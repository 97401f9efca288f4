import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Ends the output with one plain line, and writes the counts as JSON where a caller adds them up. */
export class CountReporter implements Reporter {
  readonly #countsFile: string | undefined
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }

  constructor(countsFile?: string) {
    this.#countsFile = countsFile
  }

  onInit(): void {
    // The coverage table and its thresholds come after the last event that a reporter hears of.
    process.once('exit', (code) => this.#finish(code))
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#counts.failed += errors.length
    for (const module of modules) this.#count(module)
  }

  #count(module: TestModule) {
    const failedBefore = this.#counts.failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      // A test that has not ended was cut off.
      this.#counts[state === 'pending' ? 'failed' : state] += 1
    }
    // A file that could not be loaded, or whose hooks failed, has no failed test to show for it.
    const unseen = module.state() === 'failed' && this.#counts.failed === failedBefore
    if (unseen) this.#counts.failed += 1
  }

  #finish(code: number) {
    const { passed, failed, skipped } = this.#counts
    // Failed as a whole: the global set-up, a coverage threshold.
    if (code !== 0 && failed === 0) this.#counts.failed = 1
    const tail = skipped > 0 ? `, ${skipped} skipped` : ''
    console.log(`${passed} passed, ${this.#counts.failed} failed${tail}`)
    if (this.#countsFile) writeFileSync(this.#countsFile, JSON.stringify(this.#counts))
  }
}
