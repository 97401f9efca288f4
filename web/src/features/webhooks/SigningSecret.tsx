import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NewSecret } from '../../ui/NewSecret.tsx'

interface SigningSecretProps {
  name: string
  /** Null in the answer to a request that was repeated. */
  secret: string | null
  onDone: () => void
}

/** The signing secret, which is on no other page. */
export function SigningSecret({ name, secret, onDone }: SigningSecretProps) {
  const { t } = useTranslation()
  return (
    <NewSecret
      label={t(($) => $.webhooks.secret.label, { name })}
      secret={secret}
      lost={t(($) => $.webhooks.secret.lost)}
      title={t(($) => $.webhooks.secret.title)}
      body={t(($) => $.webhooks.secret.body)}
      onDone={onDone}
    >
      <Text size="sm">
        {t(($) => $.webhooks.secret.verify)}{' '}
        <Anchor
          href="https://www.standardwebhooks.com"
          target="_blank"
          rel="noreferrer"
          size="sm"
          underline="always"
        >
          standardwebhooks.com
        </Anchor>
      </Text>
    </NewSecret>
  )
}
