import { Alert, Button, Group, NativeSelect, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addAcquiredMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useCampaigns } from '../leads/index.ts'

/** Makes leads of a list; who must not be written to is left out and counted. */
export function AddToCampaign({ listId }: { listId: string }) {
  const { t } = useTranslation()
  const idempotencyKey = useIdempotencyKey()
  const [campaign, setCampaign] = useState('')
  const { campaigns, query, notRead } = useCampaigns()
  const add = useMutation({ ...addAcquiredMutation(), onSuccess: idempotencyKey.renew })
  const submit = () =>
    add.mutate({
      headers: idempotencyKey.headers(),
      path: { id: campaign },
      body: { list_id: listId },
    })
  return (
    <Stack gap="xs" mb="md">
      <QueryFault query={query} />
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <NativeSelect
          flex={1}
          label={t(($) => $.contacts.add.campaign)}
          description={!query.error && notRead}
          value={campaign}
          onChange={(event) => {
            idempotencyKey.renew()
            add.reset()
            setCampaign(event.currentTarget.value)
          }}
          data={[
            { value: '', label: t(($) => $.contacts.add.choose) },
            ...[...campaigns].map(([value, label]) => ({ value, label })),
          ]}
        />
        <Button disabled={campaign === ''} loading={add.isPending} onClick={submit}>
          {t(($) => $.contacts.add.action)}
        </Button>
      </Group>
      {add.error && <FaultNotice fault={add.error} />}
      {add.data && (
        <Alert color="ink" role="status">
          {t(($) => $.contacts.add.done, {
            count: add.data.leads_uploaded,
            known: add.data.already_in_campaign,
            left: add.data.in_blocklist + add.data.opted_out,
          })}
          {add.data.not_added > 0 &&
            ` ${t(($) => $.contacts.add.notAdded, { count: add.data.not_added })}`}
        </Alert>
      )}
    </Stack>
  )
}
