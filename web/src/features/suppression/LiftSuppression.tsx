import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  countSuppressionsQueryKey,
  listSuppressionsInfiniteQueryKey,
  removeSuppressionMutation,
  undoSuppressionMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LiftedSuppression } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { PathLink } from '../../ui/PathLink.tsx'
import { pagePath } from '../links/index.ts'
import { useWorkspace } from '../users/index.ts'
import type { Entry } from './entry.ts'

type StillSuppressedBy = LiftedSuppression['still_suppressed_by']

/** What somebody asked for is undone only by who has typed whom it is about. */
export function LiftSuppression({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const cache = useQueryClient()
  const { value, reason, timestamp_created: since } = entry
  const [typed, setTyped] = useState('')
  const [leads, setLeads] = useState<'stay' | 'go-on'>('stay')
  const done = async (by: StillSuppressedBy, message: string) => {
    if (by) {
      const still = t(($) => $.suppression.lift.still[by], { value })
      notifications.show({ color: 'yellow', autoClose: false, message: still })
    } else notifications.show({ message })
    onClose()
    await cache.invalidateQueries({ queryKey: listSuppressionsInfiniteQueryKey() })
    await cache.invalidateQueries({ queryKey: countSuppressionsQueryKey() })
  }
  const lift = useMutation({
    ...removeSuppressionMutation(),
    onSuccess: ({ still_suppressed_by: by }) =>
      done(
        by,
        t(($) => $.suppression.lift.done, { value }),
      ),
  })
  const undo = useMutation({
    ...undoSuppressionMutation(),
    onSuccess: ({ still_suppressed_by: by, leads: { length: count }, resting_campaigns }) => {
      if (resting_campaigns.length > 0) {
        const message = (
          <>
            {t(($) => $.suppression.lift.resting)}
            {resting_campaigns.map(({ id, name }, at) => (
              <Fragment key={id}>
                {at === 0 ? ' ' : ', '}
                <PathLink path={pagePath(handle, 'campaign', id)}>{name}</PathLink>
              </Fragment>
            ))}
          </>
        )
        notifications.show({ color: 'yellow', autoClose: false, message })
      }
      return done(
        by,
        t(($) => $.suppression.lift.undone, { value, count }),
      )
    },
  })
  const isConfirmed = reason === 'blocked' || typed.trim() === value
  const confirm = () =>
    leads === 'stay'
      ? lift.mutate({ body: { value, reason, since, force: reason !== 'blocked' } })
      : undo.mutate({ body: { address: value, since, unsubscribed: reason === 'unsubscribed' } })
  const fault = lift.error ?? undo.error
  const isBusy = lift.isPending || undo.isPending
  // What is being done is done: closed meanwhile, its answer would close what is asked next.
  const close = () => isBusy || onClose()
  return (
    <Modal opened onClose={close} title={t(($) => $.suppression.lift.title, { value })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isConfirmed) confirm()
        }}
      >
        <Stack>
          <Text>{t(($) => $.suppression.reasons[reason].lift)}</Text>
          <Radio.Group
            value={leads}
            onChange={(chosen) => setLeads(chosen as 'stay' | 'go-on')}
            label={t(($) => $.suppression.lift.leads)}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="stay" label={t(($) => $.suppression.lift.stay)} />
              <Radio value="go-on" label={t(($) => $.suppression.lift.goOn)} />
            </Stack>
          </Radio.Group>
          {reason !== 'blocked' && (
            <TextInput
              label={t(($) => $.suppression.lift.type, { value })}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          {fault && <FaultNotice fault={fault} />}
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={onClose}>
              {t(($) => $.common.cancel)}
            </Button>
            <Button type="submit" color="red" disabled={!isConfirmed} loading={isBusy}>
              {t(($) => $.suppression.lift.confirm)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
