import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { updateWebhookMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useStayWhile } from '../../lib/stay.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { SigningSecret } from './SigningSecret.tsx'

/** Seconds for which the old secret signs, too. */
const overlaps = ['86400', '3600', '0'] as const
type Overlap = (typeof overlaps)[number]

/** A new signing secret, beside the old one for a while, so that no delivery is refused meanwhile. */
export function ReplaceSecret({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { t } = useTranslation()
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const replace = useMutation(updateWebhookMutation())
  // Left meanwhile, nobody would ever see the secret that is in force.
  useStayWhile(replace.isPending)
  if (replace.isSuccess) {
    const { name, signing_secret = null } = replace.data
    return <SigningSecret name={name} secret={signing_secret} onDone={onDone} />
  }
  return (
    <Stack>
      <Text>{t(($) => $.webhooks.replace.body)}</Text>
      <Radio.Group
        label={t(($) => $.webhooks.replace.overlap)}
        value={overlap}
        onChange={(value) => setOverlap(value as Overlap)}
      >
        <Stack gap="xs" mt="xs">
          {overlaps.map((value) => (
            <Radio key={value} value={value} label={t(($) => $.webhooks.replace.overlaps[value])} />
          ))}
        </Stack>
      </Radio.Group>
      {replace.isError && <FaultNotice fault={replace.error} />}
      <Group justify="flex-end">
        <Button variant="default" disabled={replace.isPending} onClick={onDone}>
          {t(($) => $.common.cancel)}
        </Button>
        <Button
          loading={replace.isPending}
          onClick={() =>
            replace.mutate({
              path: { id: webhook.id },
              body: { signing_secret: null, signing_secret_overlap_seconds: Number(overlap) },
            })
          }
        >
          {t(($) => $.webhooks.replace.submit)}
        </Button>
      </Group>
    </Stack>
  )
}
