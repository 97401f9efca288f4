/** A column of sealed values; each feature names its own, and src/sealed-columns.ts has the list. */
export interface SealedColumn {
  table: string
  column: string
  /** What the operator knows it by, in the plural. */
  label: string
  /** The columns of the primary key with their types, in its order. */
  key: Record<string, string>
  /** What a row's value is bound to. */
  purpose: (key: Record<string, string>) => string
  /** Its rows are gone within a day or two, and nothing stands still without them. */
  isShortLived?: boolean
}

export interface SealedCount {
  label: string
  key_id: string
  count: number
}
