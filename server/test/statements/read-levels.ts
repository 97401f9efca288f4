import type { Alias, JoinExpr, Node, RangeVar, WithClause } from 'libpg-query'
import { type Catalog, storeOf } from './catalog.ts'
import { functionColumns } from './function-columns.ts'
import type { Cte, Level, Range } from './levels.ts'
import { equatedBy, namesOf, tablesNamed, visit } from './syntax.ts'

/** The tree of levels of a parsed SELECT, INSERT, UPDATE or DELETE; anything else is `unread`. */
export function readLevel(node: Node, catalog: Catalog, outer?: Level, visible: Cte[] = []): Level {
  const level: Level = {
    kind: 'unread',
    node,
    outer,
    ctes: [],
    recursive: false,
    ranges: [],
    equalities: [],
    branches: [],
    source: undefined,
    nested: [],
    inExists: false,
    unread: [],
  }
  readStatement({ level, catalog, visible: [...visible] }, node)
  return level
}

/** A level while it is read; the CTEs that may be named here, innermost last. */
interface Site {
  level: Level
  catalog: Catalog
  visible: Cte[]
}

function readStatement(site: Site, node: Node) {
  const { level } = site
  if ('SelectStmt' in node) {
    const { withClause, larg, rarg, fromClause, ...rest } = node.SelectStmt
    level.kind = 'select'
    readCtes(site, withClause)
    if (larg) level.branches.push(readWithin(site, { SelectStmt: larg }, level.outer))
    if (rarg) level.branches.push(readWithin(site, { SelectStmt: rarg }, level.outer))
    readFilteredRows(site, fromClause, rest.whereClause)
    readNested(site, [fromClause, rest])
  } else if ('InsertStmt' in node) {
    const { withClause, relation, selectStmt, ...rest } = node.InsertStmt
    level.kind = 'insert'
    readCtes(site, withClause)
    if (relation) addNamed(site, relation)
    if (selectStmt) level.source = readWithin(site, selectStmt, level.outer)
    readNested(site, rest)
  } else if ('UpdateStmt' in node) {
    const { withClause, relation, fromClause, ...rest } = node.UpdateStmt
    level.kind = 'update'
    readCtes(site, withClause)
    if (relation) addNamed(site, relation)
    readFilteredRows(site, fromClause, rest.whereClause)
    readNested(site, [fromClause, rest])
  } else if ('DeleteStmt' in node) {
    const { withClause, relation, usingClause, ...rest } = node.DeleteStmt
    level.kind = 'delete'
    readCtes(site, withClause)
    if (relation) addNamed(site, relation)
    readFilteredRows(site, usingClause, rest.whereClause)
    readNested(site, [usingClause, rest])
  } else {
    noteUnread(site, node)
  }
}

const readWithin = (site: Site, node: Node, outer: Level | undefined) =>
  readLevel(node, site.catalog, outer, site.visible)

function readCtes(site: Site, clause: WithClause | undefined) {
  const recursive = clause?.recursive ?? false
  site.level.recursive = recursive
  for (const node of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue
    const { ctename = '', aliascolnames, ctequery } = node.CommonTableExpr
    const cte: Cte = { name: ctename, columnNames: namesOf(aliascolnames), level: undefined }
    if (recursive) site.visible.push(cte)
    if (ctequery) cte.level = readWithin(site, ctequery, site.level.outer)
    if (!recursive) site.visible.push(cte)
    site.level.ctes.push(cte)
  }
}

function readFilteredRows(site: Site, from: Node[] | undefined, where: Node | undefined) {
  for (const item of from ?? []) readFrom(site, item)
  equate(site, where, site.level.ranges)
}

/** @returns the ranges of this item */
function readFrom(site: Site, item: Node): Range[] {
  if ('RangeVar' in item) return [addNamed(site, item.RangeVar)]
  if ('JoinExpr' in item) return readJoin(site, item.JoinExpr)
  if ('RangeFunction' in item) {
    const { alias } = item.RangeFunction
    const columns = functionColumns(item.RangeFunction)
    return [add(site, { kind: 'function', alias: alias?.aliasname ?? '', columns })]
  }
  if ('RangeSubselect' in item && item.RangeSubselect.subquery) {
    const { alias, subquery, lateral = false } = item.RangeSubselect
    const level = readWithin(site, subquery, lateral ? site.level : site.level.outer)
    return [add(site, { kind: 'rows', level, lateral, ...naming(alias) })]
  }
  noteUnread(site, item)
  return []
}

function readJoin(site: Site, join: JoinExpr): Range[] {
  const left = join.larg ? readFrom(site, join.larg) : []
  const right = join.rarg ? readFrom(site, join.rarg) : []
  const narrowed = {
    JOIN_INNER: [...left, ...right],
    JOIN_LEFT: right,
    JOIN_RIGHT: left,
  }[join.jointype as string]
  equate(site, join.quals, narrowed ?? [])
  for (const name of namesOf(join.usingClause)) {
    for (const [a, b] of left.flatMap((a) => right.map((b) => [a, b] as const))) {
      const equated = { left: column(a, name), right: column(b, name), listed: false }
      site.level.equalities.push({ ...equated, binds: new Set(narrowed) })
    }
  }
  return [...left, ...right]
}

const column = (range: Range, name: string): Node => ({
  ColumnRef: { fields: [{ String: { sval: range.alias } }, { String: { sval: name } }] },
})

function equate(site: Site, condition: Node | undefined, narrowed: Range[]) {
  const binds = new Set(narrowed)
  site.level.equalities.push(...equatedBy(condition).map((equated) => ({ ...equated, binds })))
}

/** A table, or a CTE of that name: the innermost hides the others and the tables. */
function addNamed(site: Site, { relname = '', schemaname, alias }: RangeVar): Range {
  const cte = schemaname ? undefined : site.visible.findLast(({ name }) => name === relname)
  const named = naming(alias, relname)
  if (cte) return add(site, { kind: 'cte', cte, ...named })
  const store = storeOf(site.catalog, relname, schemaname)
  return add(site, { kind: 'table', alias: named.alias, table: relname, store, bound: undefined })
}

const naming = (alias: Alias | undefined, otherwise = '') => ({
  alias: alias?.aliasname ?? otherwise,
  columnNames: namesOf(alias?.colnames),
})

function add<R extends Range>(site: Site, range: R): R {
  site.level.ranges.push(range)
  return range
}

/** Sub-selects of expressions. Those in FROM and WITH are ranges and have been read. */
function readNested(site: Site, tree: unknown) {
  visit(tree, (kind, node) => {
    if (kind === 'SubLink' && 'subselect' in node) {
      const nested = readWithin(site, node.subselect as Node, site.level)
      nested.inExists = 'subLinkType' in node && node.subLinkType === 'EXISTS_SUBLINK'
      site.level.nested.push(nested)
    }
    if (kind === 'SubLink' && 'testexpr' in node) readNested(site, node.testexpr)
    return kind !== 'SubLink' && kind !== 'RangeSubselect'
  })
}

function noteUnread(site: Site, node: Node) {
  const tables = tablesNamed(node)
  const tenant = tables.filter((table) => storeOf(site.catalog, table) === 'tenant')
  site.level.unread.push(...tenant)
}
