import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { KeyRound, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Secret } from '../../ui/Secret.tsx'
import { ShownOnce } from '../../ui/ShownOnce.tsx'

interface NewSecretProps {
  name: string
  /** Null in the answer to a request that was repeated. */
  secret: string | null
  onDone: () => void
}

/** The signing secret, which is on no other page. */
export function NewSecret({ name, secret, onDone }: NewSecretProps) {
  const { t } = useTranslation()
  if (secret === null) {
    return (
      <Stack>
        <Alert color="red" role="alert" icon={<TriangleAlert size="1rem" aria-hidden />}>
          {t(($) => $.webhooks.secret.lost)}
        </Alert>
        <Button onClick={onDone}>{t(($) => $.common.done)}</Button>
      </Stack>
    )
  }
  return (
    <ShownOnce done={t(($) => $.shownOnce.stored)} onDone={onDone}>
      <Alert
        color="ink"
        icon={<KeyRound size="1rem" aria-hidden />}
        title={t(($) => $.webhooks.secret.title)}
      >
        {t(($) => $.webhooks.secret.body)}
      </Alert>
      <Secret label={t(($) => $.webhooks.secret.label, { name })} value={secret} isNew />
      <Text size="sm">
        {t(($) => $.webhooks.secret.verify)}{' '}
        <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" size="sm">
          standardwebhooks.com
        </Anchor>
      </Text>
    </ShownOnce>
  )
}
