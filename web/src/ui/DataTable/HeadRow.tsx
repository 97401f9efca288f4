import { useTranslation } from 'react-i18next'
import { isNothing, type Selection } from '../../lib/selection.ts'
import type { Column, gridOf } from './column.ts'
import classes from './DataTable.module.css'

interface HeadRowProps<T> {
  columns: Column<T>[]
  grid: ReturnType<typeof gridOf>
  selection: Selection | undefined
  onSelectAll: ((isChosen: boolean) => void) | undefined
}

export function HeadRow<T>({ columns, grid, selection, onSelectAll }: HeadRowProps<T>) {
  const { t } = useTranslation()
  const { template, minWidth } = grid
  return (
    // biome-ignore lint/a11y/useSemanticElements: see DataTable
    // biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it
    <div
      className={classes.head}
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template, minWidth }}
    >
      {selection && (
        // biome-ignore lint/a11y/useSemanticElements: see DataTable
        // biome-ignore lint/a11y/useFocusableInteractive: the box in it is
        <span role="columnheader">
          <input
            type="checkbox"
            aria-label={t(($) => $.table.selectAll)}
            checked={isWhole(selection)}
            ref={(box) => {
              if (box) box.indeterminate = !isNothing(selection) && !isWhole(selection)
            }}
            onChange={(event) => onSelectAll?.(event.currentTarget.checked)}
          />
        </span>
      )}
      {columns.map(({ id, header, isNumber }) => (
        // biome-ignore lint/a11y/useSemanticElements: see DataTable
        // biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it
        <span
          key={id}
          role="columnheader"
          className={classes.cell}
          data-number={isNumber || undefined}
        >
          {header}
        </span>
      ))}
    </div>
  )
}

const isWhole = ({ isAll, ids }: Selection) => isAll && ids.size === 0
