import type { Node, RangeFunction } from 'libpg-query'
import type { Column } from './levels.ts'
import { isParameter, namesOf } from './syntax.ts'

/**
 * The columns of a function in FROM. Those of an `unnest($n)`, or of a record set made from `$n`,
 * are a list that a parameter brought.
 */
export function functionColumns(range: RangeFunction): Column[] {
  const names = namesOf(range.alias?.colnames)
  const columns = (range.functions ?? []).flatMap((item) =>
    'List' in item ? columnsOfCall(item.List.items ?? [], range.coldeflist ?? []) : [],
  )
  // A function with one unnamed column gives it the name of the range.
  const fallback = columns.length === 1 ? range.alias?.aliasname : undefined
  return columns.map((column, at) => ({
    ...column,
    name: names[at] || column.name || fallback || '',
  }))
}

const recordSets = new Set([
  'json_to_recordset',
  'jsonb_to_recordset',
  'json_to_record',
  'jsonb_to_record',
])

export function columnsOfCall([call, ownDefinitions]: Node[], definitions: Node[] = []): Column[] {
  if (!call || !('FuncCall' in call)) return [{ name: '', origin: undefined }]
  const { funcname, args = [] } = call.FuncCall
  const name = namesOf(funcname).at(-1) ?? ''
  if (name === 'unnest') return args.map((arg) => ({ name: '', origin: listed(arg) }))
  if (!recordSets.has(name)) return [{ name: '', origin: undefined }]
  const own = ownDefinitions && 'List' in ownDefinitions ? ownDefinitions.List.items : undefined
  return (own ?? definitions).map((definition) => ({
    name: 'ColumnDef' in definition ? (definition.ColumnDef.colname ?? '') : '',
    origin: listed(args[0]),
  }))
}

const listed = (arg: Node | undefined) => (isParameter(arg) ? 'list' : undefined)
