import { loadModule, type Node, type ParseResult, parseSync } from 'libpg-query'
import { bind } from './binding.ts'
import { type Catalog, storeOf } from './catalog.ts'
import { handleViolations } from './handle-rules.ts'
import type { Uses } from './handle-uses.ts'
import { type Level, levelsOf } from './levels.ts'
import { pooledViolations } from './pooled-rules.ts'
import { readLevel } from './read-levels.ts'
import { type Mark, type Violation, violationsOf } from './rules.ts'
import { tablesNamed } from './syntax.ts'

await loadModule()

/**
 * What in a statement would leave its workspace, or could not run or be repeated on a distributed
 * database or through a pooler. Utility statements (DDL, SET, BEGIN, LISTEN …) and reads of the
 * system's own tables are looked at only for what lasts as long as the session.
 *
 * @param uses of which handles it was asked; of a prepared one they are not known, and compared where
 *   it runs
 */
export function checkStatement(text: string, catalog: Catalog, uses?: Uses): Violation[] {
  const parsed = parse(text)
  if (!parsed) return [{ rule: 'not-understood', subject: 'not SQL' }]
  const mark = markOf(text)
  const leave = { session: mark === 'session', installation: mark === 'installation' }
  return (parsed.stmts ?? []).flatMap(({ stmt }) =>
    stmt ? [...checkParsed(stmt, mark, catalog, uses), ...pooledViolations(stmt, leave)] : [],
  )
}

/** The comments that allow a statement what others may not. */
const marks = {
  batch: /^\s*\/\* batch \*\//,
  'cross-workspace': /^\s*\/\* cross-workspace: \S[^*]*\*\//,
  session: /^\s*\/\* session: \S[^*]*\*\//,
  installation: /^\s*\/\* installation: \S[^*]*\*\//,
} as const

function parse(text: string): ParseResult | undefined {
  try {
    return parseSync(text)
  } catch {
    return undefined
  }
}

function markOf(text: string): Mark {
  const names = Object.keys(marks) as (keyof typeof marks)[]
  return names.find((name) => marks[name].test(text)) ?? 'none'
}

function checkParsed(
  node: Node,
  mark: Mark,
  catalog: Catalog,
  uses: Uses | undefined,
): Violation[] {
  const query = queryWithin(node)
  if (query) return checkParsed(query, mark, catalog, uses)
  if ('CopyStmt' in node && mark === 'cross-workspace') return []
  if ('MergeStmt' in node || 'CopyStmt' in node) {
    return tablesNamed(node)
      .filter((table) => storeOf(catalog, table) === 'tenant')
      .map((subject) => ({ rule: 'not-understood', subject }))
  }
  const statement = readLevel(node, catalog)
  if (statement.kind === 'unread' || readsOnlySystem(statement)) return []
  bind(statement)
  return [
    ...violationsOf(statement, mark, catalog),
    ...(uses && isOfTenant(statement) ? handleViolations(node, mark, uses) : []),
  ]
}

/** The query that an EXPLAIN, a cursor, a COPY or a PREPARE is about. */
function queryWithin(node: Node): Node | undefined {
  if ('ExplainStmt' in node) return node.ExplainStmt.query
  if ('DeclareCursorStmt' in node) return node.DeclareCursorStmt.query
  if ('PrepareStmt' in node) return node.PrepareStmt.query
  return 'CopyStmt' in node ? node.CopyStmt.query : undefined
}

const isOfTenant = (statement: Level) =>
  levelsOf(statement).some(({ ranges }) =>
    ranges.some((range) => range.kind === 'table' && range.store === 'tenant'),
  )

function readsOnlySystem(statement: Level): boolean {
  const stores = levelsOf(statement)
    .flatMap((level) => level.ranges)
    .flatMap((range) => (range.kind === 'table' ? [range.store] : []))
  return stores.length > 0 && stores.every((store) => store === 'system')
}
