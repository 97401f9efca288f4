/** What is chosen of a list that may be too long to name each. */
export interface Selection {
  /** Everything that the filters match, also what was never on the screen. */
  isAll: boolean
  /** Rows that are chosen; with `isAll` those that are not. */
  ids: ReadonlySet<string>
}

export const nothingSelected: Selection = { isAll: false, ids: new Set() }
export const allSelected: Selection = { isAll: true, ids: new Set() }

export const isSelected = ({ isAll, ids }: Selection, id: string) => isAll !== ids.has(id)

export const isNothing = ({ isAll, ids }: Selection) => !isAll && ids.size === 0

export function select({ isAll, ids }: Selection, changed: string[], isChosen: boolean): Selection {
  const next = new Set(ids)
  for (const id of changed) {
    if (isChosen === isAll) next.delete(id)
    else next.add(id)
  }
  return { isAll, ids: next }
}

/** @param total of what the filters match; undefined: not known */
export const countSelected = ({ isAll, ids }: Selection, total: number | undefined) =>
  isAll ? total && Math.max(0, total - ids.size) : ids.size
