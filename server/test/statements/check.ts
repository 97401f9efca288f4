import { loadModule, type Node, type ParseResult, parseSync } from 'libpg-query'
import { bind } from './binding.ts'
import { type Catalog, storeOf } from './catalog.ts'
import { type Level, levelsOf } from './levels.ts'
import { readLevel } from './read-levels.ts'
import { type Mark, type Violation, violationsOf } from './rules.ts'
import { tablesNamed } from './syntax.ts'

await loadModule()

/**
 * What in a statement would leave its workspace, or could not run or be repeated on a distributed
 * database. Utility statements (DDL, SET, BEGIN, LISTEN …) and reads of the system's own tables
 * are not looked at.
 */
export function checkStatement(text: string, catalog: Catalog): Violation[] {
  const parsed = parse(text)
  if (!parsed) return [{ rule: 'not-understood', subject: 'not SQL' }]
  const mark = markOf(text)
  return (parsed.stmts ?? []).flatMap(({ stmt }) => (stmt ? checkParsed(stmt, mark, catalog) : []))
}

/** The two comments that let a statement reach several workspaces. */
const marks = {
  settle: /^\s*\/\* settle \*\//,
  'cross-workspace': /^\s*\/\* cross-workspace: \S[^*]*\*\//,
} as const

function parse(text: string): ParseResult | undefined {
  try {
    return parseSync(text)
  } catch {
    return undefined
  }
}

function markOf(text: string): Mark {
  if (marks.settle.test(text)) return 'settle'
  return marks['cross-workspace'].test(text) ? 'cross-workspace' : 'none'
}

function checkParsed(node: Node, mark: Mark, catalog: Catalog): Violation[] {
  const query = queryWithin(node)
  if (query) return checkParsed(query, mark, catalog)
  if ('MergeStmt' in node || 'CopyStmt' in node) {
    return tablesNamed(node)
      .filter((table) => storeOf(catalog, table) === 'tenant')
      .map((subject) => ({ rule: 'not-understood', subject }))
  }
  const statement = readLevel(node, catalog)
  if (statement.kind === 'unread' || readsOnlySystem(statement)) return []
  bind(statement)
  return violationsOf(statement, mark, catalog)
}

/** The query that an EXPLAIN, a cursor, a COPY or a PREPARE is about. */
function queryWithin(node: Node): Node | undefined {
  if ('ExplainStmt' in node) return node.ExplainStmt.query
  if ('DeclareCursorStmt' in node) return node.DeclareCursorStmt.query
  if ('PrepareStmt' in node) return node.PrepareStmt.query
  return 'CopyStmt' in node ? node.CopyStmt.query : undefined
}

function readsOnlySystem(statement: Level): boolean {
  const stores = levelsOf(statement)
    .flatMap((level) => level.ranges)
    .flatMap((range) => (range.kind === 'table' ? [range.store] : []))
  return stores.length > 0 && stores.every((store) => store === 'system')
}
