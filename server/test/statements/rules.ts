import type { Node } from 'libpg-query'
import { type Catalog, parentOf } from './catalog.ts'
import { type Level, levelsOf, readsFrom, type TableRange } from './levels.ts'
import { stableCasts, storedZones, systemColumns } from './pooled-rules.ts'
import { namesOf, visit } from './syntax.ts'

/** Every rule, with what to do about a statement that breaks it. */
export const remedies = {
  'unbound-range':
    'Add `workspace_id = $n` for this range, or equate its workspace_id with that of a bound range of the same or an outer level.',
  'list-outside-batch':
    'Its workspace comes from a list (unnest, any, a CTE): add `workspace_id = $n`, or mark it as a batch, in a file of such statements: `/* batch */`.',
  'insert-without-workspace':
    'Name the columns and give workspace_id a parameter, a bound column, or a column of unnest($n) or jsonb_to_recordset($n).',
  'moved-workspace': 'A row never changes its workspace: insert a new one and delete the old.',
  'recursion-across-workspaces':
    'Citus runs no recursive CTE over several workspaces: walk in steps from the application.',
  'write-feeds-insert':
    'Run two statements in one transaction and carry the rows through the application.',
  'lateral-from-local':
    'Citus joins no local table laterally with a tenant table: read the local rows first and pass them as a parameter.',
  'limit-without-order':
    'Add an `order by` that ends in the key, or drop the limit: which rows come is else up to the database.',
  'impure-function':
    'Pass the time, the id or the random number as a parameter from ctx; leases use outrider_now().',
  'system-column':
    'It is another one once the row was moved to another database, or written again: name the row by its key.',
  'session-setting':
    'Behind a pooler the next transaction has another session: use `set local`, `set_config(…, true)` or a lock of the transaction. What needs a session goes around the pooler, and says so: `/* session: why */`.',
  'stable-cast':
    "Reading an array from text goes by settings of the session: use `string_to_array(column, ',')::type[]`.",
  'advisory-lock':
    'A lock of a fixed name holds on one of several databases only: make its name of the workspace, or mark what guards the installation as a whole: `/* installation: why */`.',
  'unbound-handle':
    'Work for a workspace has a handle that is bound to it: take `ctx.db` of a `Context`, or make one with `inWorkspace`.',
  'bound-handle':
    'What looks at all workspaces needs a handle of the process: take `ctx.db` of a `ProcessContext`.',
  'other-workspace':
    'This parameter names another workspace than the handle is bound to: bind a handle to that one, or correct the parameter.',
  'stored-zone':
    'PostgreSQL may not know a zone that is stored, and then the statement fails for every row: tell the day with `dayOf`.',
  'not-understood':
    'The check cannot tell what this does to a tenant table: write it as a plain SELECT, INSERT, UPDATE or DELETE.',
} as const

export type Rule = keyof typeof remedies

export interface Violation {
  rule: Rule
  /** The table, range or function that breaks it. */
  subject: string
}

/**
 * Which statements may reach several workspaces: batches of rows that name theirs each, and the
 * sweeps. Which need one session, and which guard the installation as a whole.
 */
export type Mark = 'none' | 'batch' | 'cross-workspace' | 'session' | 'installation'

/** What breaks a rule in a statement whose ranges were bound. */
export function violationsOf(statement: Level, mark: Mark, catalog: Catalog): Violation[] {
  const levels = levelsOf(statement)
  return [
    ...(mark === 'cross-workspace' ? [] : levels.flatMap((level) => unboundIn(level, mark))),
    ...(mark === 'batch' || mark === 'cross-workspace' ? recursionIn(levels) : []),
    ...levels.flatMap((level) => [
      ...movedWorkspaceIn(level),
      ...fedInsertIn(level, catalog),
      ...lateralIn(level),
      ...limitIn(level),
      ...level.unread.map((table): Violation => ({ rule: 'not-understood', subject: table })),
    ]),
    ...impureFunctionsIn(statement.node),
    ...systemColumns(statement.node),
    ...stableCasts(statement),
    ...storedZones(statement.node),
  ]
}

function unboundIn(level: Level, mark: Mark): Violation[] {
  return tenantRanges(level).flatMap((range): Violation[] => {
    const subject = range.alias === range.table ? range.table : `${range.table} ${range.alias}`
    const inserted = level.kind === 'insert' && range === level.ranges[0]
    if (inserted) return range.bound ? [] : [{ rule: 'insert-without-workspace', subject }]
    if (range.bound === 'parameter') return []
    if (!range.bound) return [{ rule: 'unbound-range', subject }]
    return mark === 'batch' ? [] : [{ rule: 'list-outside-batch', subject }]
  })
}

function recursionIn(levels: Level[]): Violation[] {
  if (!levels.some((level) => level.recursive)) return []
  const tables = new Set(levels.flatMap(tenantRanges).map((range) => range.table))
  return [...tables].map((subject) => ({ rule: 'recursion-across-workspaces', subject }))
}

function movedWorkspaceIn({ node, ranges: [target] }: Level): Violation[] {
  if (target?.kind !== 'table' || target.store !== 'tenant') return []
  const assigned = (targets: Node[] | undefined): Violation[] =>
    (targets ?? []).some((item) => 'ResTarget' in item && item.ResTarget.name === 'workspace_id')
      ? [{ rule: 'moved-workspace', subject: target.table }]
      : []
  if ('UpdateStmt' in node) return assigned(node.UpdateStmt.targetList)
  return 'InsertStmt' in node ? assigned(node.InsertStmt.onConflictClause?.targetList) : []
}

/** Also through other CTEs, and when the insert only looks at the written rows. */
function fedInsertIn(level: Level, catalog: Catalog): Violation[] {
  const [target] = level.ranges
  if (level.kind !== 'insert' || target?.kind !== 'table' || !level.source) return []
  return ctesReadBy(level.source).flatMap((body): Violation[] => {
    const [written] = body.ranges
    if (body.kind === 'select' || written?.kind !== 'table') return []
    const other = parentOf(catalog, written.table) !== parentOf(catalog, target.table)
    const tenant = [written, target].some((range) => range.store === 'tenant')
    if (!other || !tenant) return []
    return [{ rule: 'write-feeds-insert', subject: `${written.table} → ${target.table}` }]
  })
}

function ctesReadBy(level: Level, seen = new Set<Level>()): Level[] {
  for (const range of levelsOf(level).flatMap((inner) => inner.ranges)) {
    const body = range.kind === 'cte' ? range.cte.level : undefined
    if (!body || seen.has(body)) continue
    seen.add(body)
    ctesReadBy(body, seen)
  }
  return [...seen]
}

function lateralIn(level: Level): Violation[] {
  const plain = level.ranges.filter((range) => !(range.kind === 'rows' && range.lateral))
  if (!readsFrom({ ...level, ranges: plain, branches: [] }, 'local')) return []
  return level.ranges
    .flatMap((range) => (range.kind === 'rows' && range.lateral ? levelsOf(range.level) : []))
    .flatMap(tenantRanges)
    .map(({ table }) => ({ rule: 'lateral-from-local', subject: table }))
}

/** Rows that are all alike need no order: `select 1 … limit n`. */
function limitIn(level: Level): Violation[] {
  if (!('SelectStmt' in level.node) || level.inExists || !readsFrom(level, 'tenant')) return []
  const { limitCount, limitOffset, sortClause, targetList = [] } = level.node.SelectStmt
  const limited = limitOffset ?? (limitCount && !isNull(limitCount))
  if (!limited || sortClause) return []
  const alike = targetList.length === 1 && targetList.every(isConstant)
  return alike ? [] : [{ rule: 'limit-without-order', subject: 'limit' }]
}

const isNull = (node: Node) => 'A_Const' in node && node.A_Const.isnull === true

const isConstant = (target: Node) =>
  'ResTarget' in target && target.ResTarget.val !== undefined && 'A_Const' in target.ResTarget.val

const impureFunctions = new Set([
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'clock_timestamp',
  'timeofday',
  'random',
  'random_normal',
  'gen_random_uuid',
  'gen_random_bytes',
  'uuidv4',
  'uuidv7',
])
const impureWords = new Set(['now', 'today', 'tomorrow', 'yesterday'])

function impureFunctionsIn(statement: Node): Violation[] {
  const found: string[] = []
  visit(statement, (kind, node) => {
    const wrapped = { [kind]: node } as Node
    if ('FuncCall' in wrapped) {
      const name = namesOf(wrapped.FuncCall.funcname).at(-1) ?? ''
      if (impureFunctions.has(name)) found.push(`${name}()`)
    }
    if ('SQLValueFunction' in wrapped) {
      const name = (wrapped.SQLValueFunction.op ?? '').replace('SVFOP_', '').toLowerCase()
      if (/^(current|local)_?(date|time)/.test(name)) found.push(name)
    }
    if ('TypeCast' in wrapped && wrapped.TypeCast.arg && 'A_Const' in wrapped.TypeCast.arg) {
      const text = wrapped.TypeCast.arg.A_Const.sval?.sval
      const type = namesOf(wrapped.TypeCast.typeName?.names).at(-1) ?? ''
      if (text && impureWords.has(text) && /^(date|time)/.test(type)) found.push(`'${text}'`)
    }
    return true
  })
  return found.map((subject) => ({ rule: 'impure-function', subject }))
}

const tenantRanges = (level: Level): TableRange[] =>
  level.ranges.filter(
    (range): range is TableRange => range.kind === 'table' && range.store === 'tenant',
  )
