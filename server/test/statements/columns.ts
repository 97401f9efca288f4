import type { Node } from 'libpg-query'
import { columnsOfCall } from './function-columns.ts'
import type { Column, Level, Origin, Range } from './levels.ts'
import { isParameter, namesOf } from './syntax.ts'

/** Where a value comes from, as far as `bind` knows by now. */
export function originOf(level: Level, node: Node | undefined): Origin {
  if (!node) return undefined
  if (isParameter(node)) return 'parameter'
  if ('TypeCast' in node) return originOf(level, node.TypeCast.arg)
  if ('FuncCall' in node) return columnsOfCall([node])[0]?.origin
  if (!('ColumnRef' in node)) return undefined
  const [name = '', alias] = namesOf(node.ColumnRef.fields).reverse()
  for (let at: Level | undefined = level; at; at = at.outer) {
    const range = at.ranges.find((range) =>
      alias === undefined ? knows(range, name) !== 'no' : range.alias === alias,
    )
    if (range) return columnsIn(range).find((column) => column.name === name)?.origin
  }
  return undefined
}

/** Only `workspace_id` of tenant tables is known here, all else in a table may be. */
export function knows(range: Range, name: string): 'yes' | 'no' | 'maybe' {
  const columns = columnsIn(range)
  if (columns.some((column) => column.name === name)) return 'yes'
  return columns.some((column) => column.name === '*') ? 'maybe' : 'no'
}

/** One of several workspaces at best. */
export const weakened = (origin: Origin): Origin => (origin ? 'list' : undefined)

/** The columns that a level gives to whoever reads it. */
export function columnsOf(level: Level): Column[] {
  if (inProgress.has(level)) return []
  inProgress.add(level)
  try {
    const [left, right] = level.branches.map(columnsOf)
    if (left) return merged([left, right ?? []])
    const { values, targets } = resultsOf(level.node)
    if (values.length > 0) return columnsOfValues(level, values)
    return targets.flatMap((target) => columnsOfTarget(level, target))
  } finally {
    inProgress.delete(level)
  }
}

// A recursive CTE reads itself: its own columns say nothing about where they come from.
const inProgress = new Set<Level>()

function columnsIn(range: Range): Column[] {
  if (range.kind === 'function') return range.columns
  if (range.kind === 'table') {
    const others: Column = { name: '*', origin: undefined }
    if (range.store !== 'tenant') return [others]
    return [others, { name: 'workspace_id', origin: range.bound }]
  }
  if (range.kind === 'rows') return renamed(columnsOf(range.level), range.columnNames)
  // A CTE may be computed on its own: a join with it gives each node a list, not one workspace.
  const columns = range.cte.level ? columnsOf(range.cte.level) : []
  return renamed(renamed(columns, range.cte.columnNames), range.columnNames).map((column) => ({
    ...column,
    origin: weakened(column.origin),
  }))
}

const renamed = (columns: Column[], names: string[]): Column[] =>
  columns.map((column, at) => ({ ...column, name: names[at] ?? column.name }))

function resultsOf(node: Node): { values: Node[]; targets: Node[] } {
  const returning = (clause: { exprs?: Node[] } | undefined) => ({
    values: [],
    targets: clause?.exprs ?? [],
  })
  if ('SelectStmt' in node) {
    return { values: node.SelectStmt.valuesLists ?? [], targets: node.SelectStmt.targetList ?? [] }
  }
  if ('InsertStmt' in node) return returning(node.InsertStmt.returningClause)
  if ('UpdateStmt' in node) return returning(node.UpdateStmt.returningClause)
  return returning('DeleteStmt' in node ? node.DeleteStmt.returningClause : undefined)
}

function columnsOfValues(level: Level, rows: Node[]): Column[] {
  return merged(
    rows.map((row) =>
      ('List' in row ? (row.List.items ?? []) : []).map((item, at) => ({
        name: `column${at + 1}`,
        origin: originOf(level, item),
      })),
    ),
  )
}

/** Several rows or branches may bring several workspaces. */
function merged([first = [], ...others]: Column[][]): Column[] {
  if (others.length === 0) return first
  return first.map(({ name, origin }, at) => ({
    name,
    origin: others.every((columns) => columns[at]?.origin) ? weakened(origin) : undefined,
  }))
}

function columnsOfTarget(level: Level, target: Node): Column[] {
  if (!('ResTarget' in target)) return []
  const { name, val } = target.ResTarget
  const names = val && 'ColumnRef' in val ? namesOf(val.ColumnRef.fields) : []
  if (names.at(-1) !== '*')
    return [{ name: name ?? names.at(-1) ?? '', origin: originOf(level, val) }]
  const alias = names.at(-2)
  const ranges = level.ranges.filter((range) => alias === undefined || range.alias === alias)
  return ranges.flatMap(columnsIn)
}
