import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import type { Import } from '../../api/generated/types.gen.ts'
import { capitalized } from '../../lib/text.ts'
import classes from './ColumnTable.module.css'
import { VariableName } from './VariableName.tsx'

type Mapping = NonNullable<Import['mapping']>
type Target = Mapping[number]['target']

const targets = [
  ...(['email', 'first_name', 'last_name', 'full_name', 'company_name', 'job_title'] as const),
  ...(['company_domain', 'website', 'phone', 'personalization', 'variable', 'skip'] as const),
]

interface ColumnTableProps {
  data: Import
  /** Of the last mapping. */
  fault: Fault | null
  onChange: (mapping: Mapping) => void
}

/** The first ten rows of the file as they are, and above each column what becomes of it. */
export function ColumnTable({ data, fault, onChange }: ColumnTableProps) {
  const { t } = useTranslation()
  const { headings, rows } = data.preview ?? { headings: [], rows: [] }
  const mapping = data.mapping ?? []
  // What a column was called that is no variable just now: it may become one again.
  const [names, setNames] = useState<Record<number, string>>({})
  const set = (column: number, target: Target) => {
    const { variable } = mapping[column] ?? {}
    if (variable) setNames({ ...names, [column]: variable })
    onChange(
      mapping.map((before, at): Mapping[number] => {
        // What a field is taken from is one column: the other becomes a variable.
        const isTaken = at !== column && target === before.target && target !== 'skip'
        if (isTaken && target !== 'variable') return variableOf(at)
        if (at !== column) return before
        return target === 'variable' ? variableOf(at) : { target }
      }),
    )
  }
  const problemOf = (column: number) => {
    const found = fault?.details?.find(({ path }) => path === `/mapping/${column}`)
    return found && capitalized(found.message)
  }
  const variableOf = (at: number): Mapping[number] => ({
    target: 'variable',
    variable: names[at] || `column_${at + 1}`,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    <section className={classes.frame} tabIndex={0} aria-label={t(($) => $.imports.preview)}>
      <table className={classes.table}>
        <thead>
          <tr>
            {headings.map((heading, column) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                key={column}
                data-skipped={mapping[column]?.target === 'skip' || undefined}
              >
                <Text size="sm" fw={600} truncate title={heading}>
                  {heading}
                </Text>
                <NativeSelect
                  size="xs"
                  aria-label={t(($) => $.imports.becomes, { heading })}
                  data={targets.map((value) => ({
                    value,
                    label: t(($) => $.imports.targets[value]),
                  }))}
                  value={mapping[column]?.target ?? 'skip'}
                  onChange={(event) => set(column, event.currentTarget.value as Target)}
                />
                {mapping[column]?.target === 'variable' && (
                  <VariableName
                    heading={heading}
                    value={mapping[column]?.variable ?? ''}
                    error={problemOf(column)}
                    onChange={(variable) =>
                      onChange(mapping.with(column, { target: 'variable', variable }))
                    }
                  />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr
              // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places
              key={at}
            >
              {headings.map((_, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                  key={column}
                  title={row[column]}
                  data-skipped={mapping[column]?.target === 'skip' || undefined}
                >
                  {row[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
