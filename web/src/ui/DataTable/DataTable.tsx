import { VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { isSelected, type Selection } from '../../lib/selection.ts'
import type { KeysetRows } from '../../lib/useKeysetRows.ts'
import { FaultNotice } from '../FaultNotice.tsx'
import { type Column, gridOf, narrowColumns } from './column.ts'
import classes from './DataTable.module.css'
import { HeadRow } from './HeadRow.tsx'
import { Row } from './Row.tsx'

interface DataTableProps<T> {
  /** What its rows are. */
  label: string
  /** One array from drawing to drawing, like `nameOf` and `onOpen`: another one has each row drawn again. */
  columns: Column<T>[]
  rows: KeysetRows<T>
  /** How many there are in all, where it is known. */
  total?: number | undefined
  /** In a word or two, for who cannot see the row. */
  nameOf: (row: T) => string
  onOpen?: (row: T) => void
  /** The one whose panel is open. */
  openId?: string | undefined
  /** Rows can be chosen where it is given. */
  selection?: Selection
  onSelect?: (ids: string[], isChosen: boolean) => void
  onSelectAll?: (isChosen: boolean) => void
  /** In place of rows, when there are none. */
  empty: ReactNode
}

/** As in DataTable.module.css: the room of what is not drawn is counted in it. */
const rowPx = 40
const skeletons = 12

/** Any number of rows: those on the screen are in the page, the others are only room. */
export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { label, rows, total, nameOf, onOpen, openId, selection, onSelect, onSelectAll } = props
  const { t } = useTranslation()
  const frame = useRef<HTMLDivElement>(null)
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const columns = useMemo(
    () => (isNarrow ? narrowColumns(props.columns) : props.columns),
    [props.columns, isNarrow],
  )
  const grid = gridOf(columns, selection !== undefined)
  const virtual = useVirtualizer({
    count: rows.isPending ? skeletons : rows.count + (rows.hasMore ? 1 : 0),
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    scrollPaddingStart: rowPx,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = items.at(-1)?.index ?? 0
  useEffect(() => rows.show(from, to))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => virtual.scrollToOffset(0), [rows.list])

  const known = useRef(rows)
  known.current = rows
  const lastChosen = useRef<string>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row of another list begins no range
  useEffect(() => {
    lastChosen.current = undefined
  }, [rows.list])
  const choose = useCallback(
    async (id: string, isChosen: boolean, isRange: boolean) => {
      const start = isRange ? lastChosen.current : undefined
      lastChosen.current = id
      if (start === undefined) return onSelect?.([id], isChosen)
      const { list, idsBetween } = known.current
      try {
        const ids = await idsBetween(start, id)
        if (known.current.list === list) onSelect?.(ids, isChosen)
      } catch (thrown) {
        notifications.show({ color: 'red', message: (thrown as Fault).message })
      }
    },
    [onSelect],
  )

  const moveFocus = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    const current = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    if (step === undefined || !current || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const next = Math.max(0, Math.min(rows.count - 1, Number(current.dataset.index) + step))
    virtual.scrollToIndex(next)
    frame.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus()
  }

  if (rows.fault && rows.count === 0) return <FaultNotice fault={rows.fault} onRetry={rows.retry} />
  if (!rows.isPending && rows.count === 0) return props.empty
  return (
    <div className={classes.whole}>
      {rows.fault && <FaultNotice fault={rows.fault} onRetry={rows.retry} />}
      {rows.isPending && (
        <VisuallyHidden role="status">{t(($) => $.common.loading)}</VisuallyHidden>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: rows that are not there cannot be in a <table> */}
      <div
        ref={frame}
        className={classes.frame}
        role="grid"
        aria-label={label}
        aria-rowcount={total === undefined ? -1 : total + 1}
        aria-busy={rows.isPending}
        // Without rows yet, so that it can be scrolled by keyboard.
        tabIndex={rows.isPending ? 0 : undefined}
        onKeyDown={moveFocus}
      >
        <HeadRow columns={columns} grid={grid} selection={selection} onSelectAll={onSelectAll} />
        <div
          className={classes.room}
          style={{ height: virtual.getTotalSize(), minWidth: grid.minWidth }}
        >
          {items.map(({ index, start, key }) => {
            const row = rows.at(index)
            if (!row) {
              const style = { transform: `translateY(${start}px)` }
              return <div key={key} className={classes.loading} style={style} aria-hidden />
            }
            return (
              <Row
                // Who is about to press a key means the record, wherever it stands by then.
                key={row.id}
                row={row}
                index={index}
                start={start}
                columns={columns}
                template={grid.template}
                nameOf={nameOf}
                isFirst={index === (virtual.range?.startIndex ?? 0)}
                isOpen={row.id === openId}
                isSelected={selection && isSelected(selection, row.id)}
                onSelect={choose}
                onOpen={onOpen}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
