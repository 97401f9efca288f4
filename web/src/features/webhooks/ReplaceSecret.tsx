import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { updateWebhookMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useBlockWhile } from '../../lib/block-while.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { SigningSecret } from './SigningSecret.tsx'

/** Seconds for which the old secret signs, too. */
const overlaps = ['86400', '3600', '0'] as const
type Overlap = (typeof overlaps)[number]

/**
 * A new signing secret, beside the old one for a while, so that no delivery is refused meanwhile. It is
 * made here: asked for again after an answer that got lost, it is in force already, where another new
 * one would end the old one at once.
 */
export function ReplaceSecret({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { t } = useTranslation()
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const [secret] = useState(newSecret)
  // Asked for again after an answer that got lost, it keeps the time that it was replaced with.
  const [mayBeInForce, setMayBeInForce] = useState(false)
  const replace = useMutation({
    ...updateWebhookMutation(),
    // 0: there was no answer at all.
    onError: ({ statusCode }) =>
      setMayBeInForce(mayBeInForce || statusCode === 0 || statusCode >= 500),
  })
  // Left meanwhile, nobody would ever see the secret that is in force.
  useBlockWhile(replace.isPending)
  if (replace.isSuccess) {
    return <SigningSecret name={replace.data.name} secret={secret} onDone={onDone} />
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
            <Radio
              key={value}
              value={value}
              label={t(($) => $.webhooks.replace.overlaps[value])}
              disabled={replace.isPending || mayBeInForce}
            />
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
              body: { signing_secret: secret, signing_secret_overlap_seconds: Number(overlap) },
            })
          }
        >
          {t(($) => $.webhooks.replace.submit)}
        </Button>
      </Group>
    </Stack>
  )
}

/** As the server makes them: 256 random bits. */
const newSecret = () =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
