import type { Node } from 'libpg-query'
import type { Store } from './catalog.ts'

/**
 * One SELECT, INSERT, UPDATE or DELETE with the ranges it reads or writes: what name resolution
 * sees. A statement is a tree of these.
 */
export interface Level {
  kind: 'select' | 'insert' | 'update' | 'delete' | 'unread'
  node: Node
  /** Whose columns may also be named here. */
  outer: Level | undefined
  ctes: Cte[]
  recursive: boolean
  /** The target of a write first, then FROM in order. */
  ranges: Range[]
  equalities: Equality[]
  /** The two sides of a UNION, INTERSECT or EXCEPT. */
  branches: Level[]
  /** The rows an INSERT takes. */
  source: Level | undefined
  /** Sub-selects in expressions. */
  nested: Level[]
  inExists: boolean
  /** Tenant tables inside a construct that the reader does not know. */
  unread: string[]
}

export interface Cte {
  name: string
  columnNames: string[]
  /** Undefined only while it is being read: a recursive one names itself. */
  level: Level | undefined
}

export type TableRange = {
  kind: 'table'
  alias: string
  table: string
  store: Store
  bound: Origin
}
export type Range =
  | TableRange
  | { kind: 'rows'; alias: string; level: Level; columnNames: string[]; lateral: boolean }
  | { kind: 'cte'; alias: string; cte: Cte; columnNames: string[] }
  | { kind: 'function'; alias: string; columns: Column[] }

/**
 * Where a value comes from: `parameter` is one workspace for the whole statement, `list` is one of
 * several that a parameter brought. Undefined is anything else.
 */
export type Origin = 'parameter' | 'list' | undefined

/** A name of '*' stands for columns that are not known here. */
export interface Column {
  name: string
  origin: Origin
}

/** `left = right`, which narrows only the ranges in `binds`: an outer join keeps the other side. */
interface Equality {
  left: Node
  right: Node
  listed: boolean
  binds: Set<Range>
}

/** The level and all levels within it, outermost first. */
export function levelsOf(level: Level): Level[] {
  const inner = [
    ...level.ctes.map((cte) => cte.level),
    ...level.branches,
    level.source,
    ...level.ranges.map((range) => (range.kind === 'rows' ? range.level : undefined)),
    ...level.nested,
  ]
  return [level, ...inner.flatMap((one) => (one ? levelsOf(one) : []))]
}

/** Whether rows of a table in `store` come out of the level's FROM, through CTEs too. */
export function readsFrom(level: Level, store: Store, seen = new Set<Level>()): boolean {
  if (seen.has(level)) return false
  seen.add(level)
  const rangeReads = (range: Range) => {
    if (range.kind === 'table') return range.store === store
    const inner = range.kind === 'cte' ? range.cte.level : range.kind === 'rows' && range.level
    return inner ? readsFrom(inner, store, seen) : false
  }
  return level.ranges.some(rangeReads) || level.branches.some((b) => readsFrom(b, store, seen))
}
