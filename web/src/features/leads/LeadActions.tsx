import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  changeLeadsMutation,
  eraseLeadMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { BulkChange, Lead, LeadJob } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useMay } from '../users/index.ts'
import { StatusMenu } from './StatusMenu.tsx'

interface LeadActionsProps {
  lead: Lead
  onChanged: (job: LeadJob) => void
  onErased: () => void
}

/** What can be done with one lead. */
export function LeadActions({ lead, onChanged, onErased }: LeadActionsProps) {
  const { t } = useTranslation()
  const mayErase = useMay('admin')
  const cache = useQueryClient()
  const [isErasing, erasing] = useDisclosure()
  const idempotencyKey = useIdempotencyKey()
  const change = useMutation({
    ...changeLeadsMutation(),
    // Whoever closed the panel meanwhile is told all the same.
    onSuccess(job) {
      idempotencyKey.renew()
      onChanged(job)
      return cache.invalidateQueries()
    },
  })
  const erase = useMutation({
    ...eraseLeadMutation(),
    // The page tells how far it is.
    onSuccess: () => void cache.invalidateQueries(),
  })
  // Done twice, what is undone would be the second time alone.
  const set = (wanted: Pick<BulkChange, 'action' | 'status'>) => {
    const body = { ...wanted, ids: [lead.id] }
    change.mutate({ headers: idempotencyKey.headers(JSON.stringify(body)), body })
  }
  const running = change.isPending ? change.variables.body.action : undefined
  const canPause = lead.sending_state === 'pending' || lead.sending_state === 'active'
  // Whose mail cannot be made goes on by itself once what it lacks is given, and not before.
  const isLacking = lead.skip_reason?.startsWith('template_failed: ')
  const canResume =
    (lead.sending_state === 'paused' && !isLacking) || lead.sending_state === 'stopped'
  return (
    <>
      {change.error && <FaultNotice fault={change.error} />}
      <Group gap="xs">
        <StatusMenu
          position="bottom-start"
          isBusy={running === 'set_status'}
          onSet={(status) => set({ action: 'set_status', status })}
        />
        {canPause && (
          <Button
            variant="default"
            size="xs"
            loading={running === 'pause'}
            onClick={() => set({ action: 'pause' })}
          >
            {t(($) => $.leads.bulk.pause)}
          </Button>
        )}
        {canResume && (
          <Button
            variant="default"
            size="xs"
            loading={running === 'resume'}
            onClick={() => set({ action: 'resume' })}
          >
            {t(($) => $.leads.bulk.resume)}
          </Button>
        )}
        {mayErase && (
          <Button variant="subtle" color="red" size="xs" onClick={erasing.open}>
            {t(($) => $.leads.erase.action)}
          </Button>
        )}
      </Group>
      {isErasing && (
        <ConfirmDialog
          title={t(($) => $.leads.erase.title, { email: lead.email })}
          body={t(($) => $.leads.erase.body)}
          confirm={t(($) => $.leads.erase.confirm)}
          isBusy={erase.isPending}
          fault={erase.error}
          onConfirm={() => erase.mutate({ path: { id: lead.id } }, { onSuccess: onErased })}
          onClose={erasing.close}
        />
      )}
    </>
  )
}
