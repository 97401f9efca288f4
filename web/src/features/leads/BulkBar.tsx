import { Button } from '@mantine/core'
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
  campaigns: ReadonlyMap<string, string>
  onChange: (change: Pick<BulkChange, 'action' | 'status' | 'to_campaign_id'>) => void
  onClear: () => void
  /** A link that downloads them. */
  download: ReactNode
}

/** What can be done with the leads that are chosen. */
export default function BulkBar(props: BulkBarProps) {
  const { selection, total, campaigns, onChange, onClear, download } = props
  const { t } = useTranslation()
  const [asked, setAsked] = useState<'unsubscribe' | 'delete' | 'move'>()
  const count = countSelected(selection, total?.count)
  const isMore = selection.isAll && total?.is_estimate
  const words = t(($) => (isMore ? $.leads.bulk.manySelected : $.leads.bulk.selected), {
    count: count ?? 0,
  })
  const close = () => setAsked(undefined)
  const confirmed = (change: Parameters<typeof onChange>[0]) => {
    close()
    onChange(change)
  }
  return (
    <SelectionBar selection={selection} count={words} onClear={onClear}>
      <StatusMenu
        position="top-start"
        onSet={(status) => onChange({ action: 'set_status', status })}
      />
      <Button variant="default" size="xs" onClick={() => onChange({ action: 'pause' })}>
        {t(($) => $.leads.bulk.pause)}
      </Button>
      <Button variant="default" size="xs" onClick={() => onChange({ action: 'resume' })}>
        {t(($) => $.leads.bulk.resume)}
      </Button>
      <Button variant="default" size="xs" onClick={() => setAsked('move')}>
        {t(($) => $.leads.bulk.move)}
      </Button>
      <Button variant="default" size="xs" onClick={() => setAsked('unsubscribe')}>
        {t(($) => $.leads.bulk.unsubscribe)}
      </Button>
      {download}
      <Button variant="default" size="xs" onClick={() => setAsked('delete')}>
        {t(($) => $.leads.bulk.delete)}
      </Button>
      <MoveLeads
        opened={asked === 'move'}
        what={words}
        campaigns={campaigns}
        onMove={(to_campaign_id) => confirmed({ action: 'move', to_campaign_id })}
        onClose={close}
      />
      {(asked === 'unsubscribe' || asked === 'delete') && (
        <ConfirmBulk
          action={asked}
          what={words}
          onConfirm={() => confirmed({ action: asked })}
          onClose={close}
        />
      )}
    </SelectionBar>
  )
}
