import { appendFileSync } from 'node:fs'
import { afterAll } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { watchHandles } from '../../src/kernel/db/db.ts'
import { HandleUses } from './handle-uses.ts'
import { remedies, type Violation } from './rules.ts'

// A set-up file: every statement that a test file runs through the application's clients is held
// to the workspace rules, each text once; those of the builder together with the handles that they
// were asked of. A test that looks at the database behind the
// application's back uses a plain client.

const texts = new Set<string>()
const uses = new HandleUses()
captureStatements((text) => texts.add(text))
watchHandles(uses.watch)

afterAll(async () => {
  captureStatements(undefined)
  if (texts.size === 0) return
  // Only now, so that a test file without a database does not load the parser.
  const { verdictOn } = await import('./verdicts.ts')
  const { testCatalog } = await import('./test-catalog.ts')
  const catalog = await testCatalog()
  const reports = [...texts].flatMap((text) =>
    report(text, verdictOn(text, catalog, uses.of(text))),
  )
  if (reports.length > 0) throw new Error(`Statements break the rules:\n\n${reports.join('\n\n')}`)
  keep(texts)
})

/** For `prepare.ts`, one JSON string a line. */
function keep(texts: Set<string>) {
  const { STATEMENTS_FILE } = process.env
  if (!STATEMENTS_FILE) return
  const lines = [...texts].map((text) => `${JSON.stringify(text)}\n`)
  appendFileSync(STATEMENTS_FILE, lines.join(''))
}

/** The statement, and for every violation what to do about it. */
function report(text: string, violations: Violation[]): string[] {
  if (violations.length === 0) return []
  const lines = violations.map(({ rule, subject }) => `- ${rule}: ${subject}\n  ${remedies[rule]}`)
  return [[text.trim(), ...lines].join('\n')]
}
