import { memo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Column } from './column.ts'
import classes from './DataTable.module.css'

interface RowProps<T> {
  row: T
  index: number
  /** In pixels from the top of the list. */
  start: number
  columns: Column<T>[]
  template: string
  nameOf: (row: T) => string
  /** Of those on the screen: where the Tab key comes in. */
  isFirst: boolean
  isOpen: boolean
  /** Undefined: rows cannot be chosen. */
  isSelected: boolean | undefined
  onSelect: (id: string, isChosen: boolean, isRange: boolean) => Promise<void>
  onOpen: ((row: T) => void) | undefined
}

/** Drawn once while it stays on the screen: whoever scrolls pays for the rows that come, not for all. */
export const Row = memo(function Row<T extends { id: string }>(props: RowProps<T>) {
  const { row, index, start, columns, template, nameOf, isFirst, isOpen, isSelected } = props
  const { onSelect, onOpen } = props
  const { t } = useTranslation()
  return (
    // biome-ignore lint/a11y/useSemanticElements: see DataTable
    <div
      className={classes.row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-current={isOpen || undefined}
      data-index={index}
      data-pressable={onOpen ? true : undefined}
      tabIndex={isFirst ? 0 : -1}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={() => onOpen?.(row)}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return
        if (event.key === 'Enter') onOpen?.(row)
        if (isSelected === undefined || (event.key !== ' ' && event.key !== 'x')) return
        event.preventDefault()
        void onSelect(row.id, !isSelected, event.shiftKey)
      }}
    >
      {isSelected !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: see DataTable
        // biome-ignore lint/a11y/useFocusableInteractive: the row is
        <span role="gridcell">
          {/* Not Mantine's: thousands come and go. */}
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t(($) => $.table.select, { name: nameOf(row) })}
            checked={isSelected}
            onClick={(event) => {
              event.stopPropagation()
              void onSelect(row.id, event.currentTarget.checked, event.shiftKey)
            }}
            readOnly
          />
        </span>
      )}
      {columns.map(({ id, cell, isNumber }) => {
        const content = cell(row)
        return (
          // biome-ignore lint/a11y/useSemanticElements: see DataTable
          // biome-ignore lint/a11y/useFocusableInteractive: the row is
          <span
            key={id}
            role="gridcell"
            className={classes.cell}
            data-number={isNumber || undefined}
            // A text may be longer than its column.
            title={typeof content === 'string' ? content : undefined}
          >
            {content}
          </span>
        )
      })}
    </div>
  )
}) as <T extends { id: string }>(props: RowProps<T>) => ReactNode
