import type { Catalog } from './catalog.ts'
import { checkStatement } from './check.ts'
import type { Uses } from './handle-uses.ts'
import type { Violation } from './rules.ts'

/** Of all test files of a worker: they run the same statements, and have one catalog. */
const known = new WeakMap<Catalog, Map<string, Violation[]>>()

/** What is wrong with a statement, which is parsed once for each way of asking it. */
export function verdictOn(text: string, catalog: Catalog, uses?: Uses): Violation[] {
  const verdicts = known.get(catalog) ?? new Map<string, Violation[]>()
  known.set(catalog, verdicts)
  const key = JSON.stringify([text, uses && { ...uses, own: [...uses.own] }])
  const violations = verdicts.get(key) ?? checkStatement(text, catalog, uses)
  verdicts.set(key, violations)
  return violations
}
