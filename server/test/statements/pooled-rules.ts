import type { FuncCall, Node } from 'libpg-query'
import { type Level, levelsOf } from './levels.ts'
import { namesOf, visit } from './syntax.ts'

// What a statement must not rest on where a pooler gives each transaction another session, and
// workspaces are spread over several databases.

type PooledRule =
  | 'system-column'
  | 'session-setting'
  | 'stable-cast'
  | 'advisory-lock'
  | 'stored-zone'

interface PooledViolation {
  rule: PooledRule
  subject: string
}

/** Two marks allow what they name: `session` all that lasts, `installation` a lock of a fixed name. */
interface Leave {
  session: boolean
  installation: boolean
}

/** Of any statement, utility statements too. */
export function pooledViolations(statement: Node, leave: Leave): PooledViolation[] {
  const calls = callsIn(statement)
  return [
    ...(leave.session ? [] : sessionSettings(statement, calls)),
    ...(leave.installation ? [] : fixedLocks(calls)),
  ]
}

const systemNames = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

export function systemColumns(statement: Node): PooledViolation[] {
  const found: PooledViolation[] = []
  visit({ statement }, (kind, node) => {
    const wrapped = { [kind]: node } as Node
    const name = 'ColumnRef' in wrapped ? (namesOf(wrapped.ColumnRef.fields).at(-1) ?? '') : ''
    if (systemNames.has(name)) found.push({ rule: 'system-column', subject: name })
    return true
  })
  return found
}

/** PostgreSQL calls the reading of an array from text stable: it goes by what the session is set to. */
export function stableCasts(statement: Level): PooledViolation[] {
  return levelsOf(statement).flatMap((level) => {
    const [target] = level.ranges
    if (level.kind !== 'update' || target?.kind !== 'table' || target.store !== 'tenant') return []
    const found: PooledViolation[] = []
    visit(level.node, (kind, node) => {
      const wrapped = { [kind]: node } as Node
      if (!('TypeCast' in wrapped)) return true
      const { arg, typeName } = wrapped.TypeCast
      if (arg && 'ColumnRef' in arg && typeName?.arrayBounds) {
        found.push({ rule: 'stable-cast', subject: namesOf(arg.ColumnRef.fields).join('.') })
      }
      return true
    })
    return found
  })
}

/** The zones that are known differ with each PostgreSQL and the machine that it is on. */
export function storedZones(statement: Node): PooledViolation[] {
  return callsIn(statement).flatMap((call) => {
    const [zone] = call.args ?? []
    if (nameOf(call) !== 'timezone' || !zone || 'A_Const' in zone) return []
    return [{ rule: 'stored-zone', subject: 'at time zone' }]
  })
}

const sessionLocks = /^pg_(try_)?advisory_(lock|unlock)/
const transactionLocks = /^pg_(try_)?advisory_xact_lock/

function sessionSettings(statement: Node, calls: FuncCall[]): PooledViolation[] {
  const subjects = [
    ...lastingUtility(statement),
    ...calls.flatMap((call) => {
      const name = nameOf(call)
      const lasts = name === 'set_config' ? !isTrue(call.args?.[2]) : sessionLocks.test(name)
      return lasts ? [`${name}()`] : []
    }),
  ]
  return subjects.map((subject) => ({ rule: 'session-setting', subject }))
}

function lastingUtility(node: Node): string[] {
  if ('VariableSetStmt' in node) {
    const { is_local = false, name = 'all' } = node.VariableSetStmt
    // `set transaction` is about the open one alone.
    return is_local || name === 'TRANSACTION' ? [] : [`set ${name}`]
  }
  if ('DiscardStmt' in node) return ['discard']
  const created =
    'CreateStmt' in node
      ? node.CreateStmt.relation
      : 'CreateTableAsStmt' in node
        ? node.CreateTableAsStmt.into?.rel
        : undefined
  return created?.relpersistence === 't' ? [`temporary table ${created.relname}`] : []
}

/** A name that is made of a parameter or a column is that of a workspace, or of something in one. */
function fixedLocks(calls: FuncCall[]): PooledViolation[] {
  return calls
    .filter((call) => transactionLocks.test(nameOf(call)) && !isMade(call.args))
    .map((call) => ({ rule: 'advisory-lock', subject: `${nameOf(call)}()` }))
}

const nameOf = ({ funcname }: FuncCall) => namesOf(funcname).at(-1) ?? ''

function callsIn(statement: Node): FuncCall[] {
  const calls: FuncCall[] = []
  visit({ statement }, (kind, node) => {
    const wrapped = { [kind]: node } as Node
    if ('FuncCall' in wrapped) calls.push(wrapped.FuncCall)
    return true
  })
  return calls
}

const isTrue = (node: Node | undefined) =>
  node !== undefined && 'A_Const' in node && node.A_Const.boolval?.boolval === true

function isMade(args: Node[] | undefined): boolean {
  let found = false
  visit({ args }, (kind) => {
    found ||= kind === 'ParamRef' || kind === 'ColumnRef'
    return !found
  })
  return found
}
