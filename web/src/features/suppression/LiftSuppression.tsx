import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  countSuppressionsQueryKey,
  listSuppressionsInfiniteQueryKey,
  removeSuppressionMutation,
  undoSuppressionMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import type { Entry } from './entry.ts'

/** What somebody asked for is undone only by who has typed whom it is about. */
export function LiftSuppression({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { value, kind, reason } = entry
  const [typed, setTyped] = useState('')
  const [leads, setLeads] = useState<'stay' | 'go-on'>('stay')
  const done = async (message: string) => {
    notifications.show({ message })
    onClose()
    await cache.invalidateQueries({ queryKey: listSuppressionsInfiniteQueryKey() })
    await cache.invalidateQueries({ queryKey: countSuppressionsQueryKey() })
  }
  const lift = useMutation({
    ...removeSuppressionMutation(),
    onSuccess: () => done(t(($) => $.suppression.lift.done, { value })),
  })
  const undo = useMutation({
    ...undoSuppressionMutation(),
    onSuccess: ({ leads: { length: count } }) =>
      done(t(($) => $.suppression.lift.undone, { value, count })),
  })
  const isConfirmed = reason === 'blocked' || typed.trim() === value
  const confirm = () =>
    leads === 'stay'
      ? lift.mutate({ body: { value, force: reason !== 'blocked' } })
      : undo.mutate({ body: { address: value, unsubscribed: reason === 'unsubscribed' } })
  const fault = lift.error ?? undo.error
  return (
    <Modal opened onClose={onClose} title={t(($) => $.suppression.lift.title, { value })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isConfirmed) confirm()
        }}
      >
        <Stack>
          <Text>{t(($) => $.suppression.reasons[reason].lift)}</Text>
          {kind === 'address' && (
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
          )}
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
            <Button variant="default" onClick={onClose}>
              {t(($) => $.common.cancel)}
            </Button>
            <Button
              type="submit"
              color="red"
              disabled={!isConfirmed}
              loading={lift.isPending || undo.isPending}
            >
              {t(($) => $.suppression.lift.confirm)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
