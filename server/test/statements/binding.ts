import type { Node } from 'libpg-query'
import { columnsOf, knows, originOf, weakened } from './columns.ts'
import type { Level, Origin, TableRange } from './levels.ts'
import { namesOf } from './syntax.ts'

/**
 * Finds for every range of a tenant table what its workspace is bound to, and notes it in the
 * range: a parameter, directly or through equalities with a bound range of the same level or of
 * an outer one that it is correlated with.
 */
export function bind(level: Level): void {
  for (const { level: body } of level.ctes) if (body) bind(body)
  for (const branch of level.branches) bind(branch)
  if (level.source) bind(level.source)
  const [lateral, plain] = [true, false].map((wanted) =>
    level.ranges.filter((range) => range.kind === 'rows' && range.lateral === wanted),
  )
  for (const range of plain ?? []) if (range.kind === 'rows') bind(range.level)
  if (level.kind === 'insert') bindTarget(level)
  spread(level)
  for (const range of lateral ?? []) {
    if (range.kind === 'rows') bind(range.level)
    spread(level)
  }
  for (const nested of level.nested) bind(nested)
}

/** What an INSERT puts into `workspace_id`. */
function insertedWorkspace(level: Level): Origin {
  if (!('InsertStmt' in level.node) || !level.source) return undefined
  const columns = level.node.InsertStmt.cols ?? []
  const at = columns.findIndex((node) => 'ResTarget' in node && isWorkspace(node.ResTarget.name))
  const given = columnsOf(level.source)
  const known = !given.slice(0, at + 1).some(({ name }) => name === '*')
  return at >= 0 && known ? given[at]?.origin : undefined
}

const isWorkspace = (name: string | undefined) => name === 'workspace_id'

function bindTarget(level: Level) {
  const [target] = level.ranges
  if (target?.kind === 'table') target.bound = insertedWorkspace(level)
}

/** Follows the equalities until nothing more is learnt. */
function spread(level: Level) {
  const sides = level.equalities.flatMap((equality) => [
    { ...equality, column: equality.left, value: equality.right },
    { ...equality, column: equality.right, value: equality.left },
  ])
  let learnt = true
  while (learnt) {
    learnt = false
    for (const { column, value, listed, binds } of sides) {
      const range = workspaceOf(level, column)
      if (!range || !binds.has(range)) continue
      const origin = listed ? weakened(originOf(level, value)) : originOf(level, value)
      if (strength(origin) <= strength(range.bound)) continue
      range.bound = origin
      learnt = true
    }
  }
}

const strength = (origin: Origin) => (origin ? { list: 1, parameter: 2 }[origin] : 0)

/** The tenant range of this level whose `workspace_id` the node names. */
function workspaceOf(level: Level, node: Node): TableRange | undefined {
  if (!('ColumnRef' in node)) return undefined
  const [name, alias] = namesOf(node.ColumnRef.fields).reverse()
  if (!isWorkspace(name)) return undefined
  const range = level.ranges.find((range) =>
    alias === undefined ? knows(range, 'workspace_id') === 'yes' : range.alias === alias,
  )
  return range?.kind === 'table' && range.store === 'tenant' ? range : undefined
}
