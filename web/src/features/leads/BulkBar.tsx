import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BulkChange } from '../../api/generated/types.gen.ts'
import { countSelected, type Selection } from '../../lib/selection.ts'
import { SelectionBar } from '../../ui/DataTable/SelectionBar.tsx'
import { ConfirmBulk } from './ConfirmBulk.tsx'
import { MoveLeads } from './MoveLeads.tsx'
import { StatusMenu } from './StatusMenu.tsx'

interface BulkBarProps {
  selection: Selection
  total: { count: number; is_estimate: boolean } | undefined
  /** What is being done with them. */
  running: BulkChange['action'] | undefined
  onChange: (change: Change) => void
  onClear: () => void
  /** A link that downloads them. */
  download: ReactNode
}

type Change = Pick<BulkChange, 'action' | 'status' | 'to_campaign_id'>

/** As many leads the server can set back to what they were. */
const undoneMost = 1000
/** As many the server takes by their ids. */
const namedMost = 10_000

/** What can be done with the leads that are chosen. */
export function BulkBar(props: BulkBarProps) {
  const { selection, total, running, onChange, onClear, download } = props
  const { t } = useTranslation()
  const [asked, setAsked] = useState<Change & { statusName?: string }>()
  const count = countSelected(selection, total?.count)
  const isMore = selection.isAll && total?.is_estimate
  const words =
    count === undefined
      ? t(($) => $.leads.bulk.allSelected, { count: selection.ids.size })
      : t(($) => (isMore ? $.leads.bulk.manySelected : $.leads.bulk.selected), { count })
  const close = () => setAsked(undefined)
  const confirmed = (change: Change) => {
    close()
    onChange(change)
  }
  const hasUndo = !isMore && count !== undefined && count <= undoneMost
  /** At once where it can be undone. */
  const changeOrAsk = (change: Change, statusName?: string) =>
    hasUndo ? onChange(change) : setAsked({ ...change, ...(statusName ? { statusName } : {}) })
  const button = (action: Exclude<Change['action'], 'set_status'>, onPress: typeof onChange) => (
    <Button
      variant="default"
      size="xs"
      loading={running === action}
      disabled={running !== undefined}
      onClick={() => onPress({ action })}
    >
      {t(($) => $.leads.bulk[action])}
    </Button>
  )
  if (selection.ids.size > namedMost) {
    return (
      <SelectionBar selection={selection} count={words} onClear={onClear}>
        <Text size="xs">{t(($) => $.leads.bulk.tooMany, { count: namedMost })}</Text>
      </SelectionBar>
    )
  }
  return (
    <SelectionBar selection={selection} count={words} onClear={onClear}>
      <StatusMenu
        position="top-start"
        isBusy={running === 'set_status'}
        isDisabled={running !== undefined}
        onSet={(status, name) => changeOrAsk({ action: 'set_status', status }, name)}
      />
      {button('pause', changeOrAsk)}
      {button('resume', changeOrAsk)}
      {button('move', setAsked)}
      {button('unsubscribe', setAsked)}
      {download}
      {button('delete', setAsked)}
      <MoveLeads
        opened={asked?.action === 'move'}
        what={words}
        onMove={(to_campaign_id) => confirmed({ action: 'move', to_campaign_id })}
        onClose={close}
      />
      {asked && asked.action !== 'move' && (
        <ConfirmBulk
          action={asked.action}
          what={words}
          statusName={asked.statusName}
          onConfirm={() => {
            const { statusName: _, ...change } = asked
            confirmed(change)
          }}
          onClose={close}
        />
      )}
    </SelectionBar>
  )
}
