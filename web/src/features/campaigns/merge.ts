import { replaceEqualDeep } from '@tanstack/react-query'

/** One thing that two people have changed differently. */
export interface Conflict {
  /** A JSON pointer; its last part may be the name of one of `fieldGroups`. */
  path: string
  /** As it was before both. */
  base: unknown
  mine: unknown
  theirs: unknown
}

export const isEqual = (a: unknown, b: unknown) => replaceEqualDeep(a, b) === a

type Fields = Record<string, unknown>

/**
 * Fields that mean nothing apart: a delay of 10 by one person, with the unit `hours` of another, would be
 * a wait that nobody chose.
 */
const fieldGroups = new Map([
  ['wait', ['delay', 'delay_unit']],
  ['hours', ['timing', 'timezone']],
])

/**
 * Puts two changes of a value together: objects field by field, lists of records by their ids. Where
 * both changed the same part, theirs is taken and a conflict is added.
 */
export function merge<T>(base: T, mine: T, theirs: T, conflicts: Conflict[], path = ''): T {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine
  if (isEqual(base, mine)) return theirs
  const isGroup = fieldGroups.has(path.split('/').at(-1) ?? '')
  if (!isGroup && isObject(base) && isObject(mine) && isObject(theirs)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine)].map(partOf))
    let merged: Fields = {}
    for (const name of names) {
      const [b, m, t] = [base, mine, theirs].map((fields) => read(fields, name))
      merged = write(merged, name, merge(b, m, t, conflicts, `${path}/${name}`))
    }
    return merged as T
  }
  const merged = mergeLists(base, mine, theirs, conflicts, path)
  if (merged) return merged as T
  conflicts.push({ path, base, mine, theirs })
  return theirs
}

/** Undefined when each put the list in another order, or one took out what the other has changed. */
function mergeLists(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  conflicts: Conflict[],
  path: string,
): unknown[] | undefined {
  const lists = [base, mine, theirs].map(byId)
  const [b, m, t] = lists
  if (!(b && m && t)) {
    // A campaign has one sequence at most, without an id.
    const isSingle = [base, mine, theirs].every((list) => Array.isArray(list) && list.length === 1)
    if (!isSingle) return undefined
    const [[one], [two], [three]] = [base, mine, theirs] as unknown[][] as [
      unknown[],
      unknown[],
      unknown[],
    ]
    return [merge(one, two, three, conflicts, `${path}/0`)]
  }
  const order = isAlike(b, m) ? t : m
  const other = order === t ? m : t
  if (!isAlike(b, other) && !isAlike(order, other)) return undefined
  const isLost = [...other].some(([id, item]) => !order.has(id) && !isEqual(b.get(id), item))
  if (isLost) return undefined
  return [...order].map(([id, item], index) =>
    other.has(id) ? merge(b.get(id), m.get(id), t.get(id), conflicts, `${path}/${index}`) : item,
  )
}

const partOf = (field: string) =>
  [...fieldGroups].find(([, fields]) => fields.includes(field))?.[0] ?? field

function read(record: Fields, part: string): unknown {
  const fields = fieldGroups.get(part)
  return fields ? Object.fromEntries(fields.map((name) => [name, record[name]])) : record[part]
}

const write = (record: Fields, part: string, value: unknown): Fields => ({
  ...record,
  ...(fieldGroups.has(part) ? (value as Fields) : { [part]: value }),
})

const isAlike = (one: Map<string, unknown>, other: Map<string, unknown>) =>
  isEqual([...one.keys()], [...other.keys()])

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function byId(value: unknown): Map<string, unknown> | undefined {
  if (!Array.isArray(value)) return undefined
  const entries = value.map((item) => [isObject(item) ? item.id : undefined, item] as const)
  return entries.every(([id]) => typeof id === 'string')
    ? new Map(entries as [string, unknown][])
    : undefined
}

/** A copy with another value at a JSON pointer. */
export function setAt<T>(value: T, path: string, part: unknown): T {
  const [name, ...rest] = path.split('/').slice(1)
  if (name === undefined) return part as T
  const inner = rest.map((each) => `/${each}`).join('')
  if (Array.isArray(value)) {
    return value.map((item, at) => (at === Number(name) ? setAt(item, inner, part) : item)) as T
  }
  const record = value as Fields
  return write(record, name, setAt(read(record, name), inner, part)) as T
}
