import type { Node } from 'libpg-query'
import type { Uses } from './handle-uses.ts'
import type { Mark, Violation } from './rules.ts'
import { namesOf, visit } from './syntax.ts'

/** What does not fit between a statement on the tables of workspaces and the handles it was asked of. */
export function handleViolations(statement: Node, mark: Mark, uses: Uses): Violation[] {
  if (mark === 'cross-workspace') {
    return uses.bound ? [{ rule: 'bound-handle', subject: 'cross-workspace' }] : []
  }
  if (mark === 'batch') return []
  const others = uses.bound ? workspaceParameters(statement).filter((n) => !uses.own.has(n)) : []
  return [
    ...(uses.unbound ? [{ rule: 'unbound-handle', subject: 'its handle' } as const] : []),
    ...others.map((number) => ({ rule: 'other-workspace', subject: `$${number}` }) as const),
  ]
}

/** Numbers of the parameters that `workspace_id` is compared with, or is given. */
export function workspaceParameters(statement: Node): number[] {
  const found = new Set<number>()
  const note = (node: Node | undefined) => {
    const number = numberOf(node)
    if (number !== undefined) found.add(number)
  }
  visit([statement], (kind, value) => {
    const node = { [kind]: value } as Node
    if ('A_Expr' in node)
      for (const [column, other] of sidesOf(node)) if (isWorkspace(column)) note(other)
    if ('InsertStmt' in node) for (const given of insertedWorkspaces(node)) note(given)
    return true
  })
  return [...found].sort((a, b) => a - b)
}

/** Both ways round, and column by column where rows are compared. */
function sidesOf({ A_Expr: { kind, name, lexpr, rexpr } }: Extract<Node, { A_Expr: object }>) {
  if (kind !== 'AEXPR_OP' || namesOf(name).at(-1) !== '=') return []
  const left = partsOf(lexpr)
  const right = partsOf(rexpr)
  return left.flatMap((one, at) => [[one, right[at]] as const, [right[at], one] as const])
}

const partsOf = (node: Node | undefined): (Node | undefined)[] =>
  node && 'RowExpr' in node ? (node.RowExpr.args ?? []) : [node]

const isWorkspace = (node: Node | undefined): boolean =>
  node !== undefined &&
  'ColumnRef' in node &&
  namesOf(node.ColumnRef.fields).at(-1) === 'workspace_id'

/** What each row of an INSERT puts there, as far as the statement says so itself. */
function insertedWorkspaces({ InsertStmt }: Extract<Node, { InsertStmt: object }>) {
  const { cols = [], selectStmt } = InsertStmt
  const at = cols.findIndex((col) => 'ResTarget' in col && col.ResTarget.name === 'workspace_id')
  if (at < 0 || !selectStmt || !('SelectStmt' in selectStmt)) return []
  const { valuesLists = [], targetList = [] } = selectStmt.SelectStmt
  const selected = targetList[at]
  return [
    ...valuesLists.map((row) => ('List' in row ? row.List.items?.[at] : undefined)),
    selected && 'ResTarget' in selected ? selected.ResTarget.val : undefined,
  ]
}

/** Of `$n`, or of a cast of it. */
function numberOf(node: Node | undefined): number | undefined {
  if (!node) return undefined
  if ('TypeCast' in node) return numberOf(node.TypeCast.arg)
  return 'ParamRef' in node ? node.ParamRef.number : undefined
}
