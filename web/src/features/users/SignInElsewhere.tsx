import { Button, Divider, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { beginOidcMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'

/** At the provider of OpenID Connect that the server is configured with. */
export function SignInElsewhere({ name }: { name: string }) {
  const { t } = useTranslation()
  const begin = useMutation({
    ...beginOidcMutation(),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <Stack mt="lg">
      <Divider label={t(($) => $.signIn.or)} />
      {begin.error && <FaultNotice fault={begin.error} />}
      <Button
        variant="default"
        loading={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate({})}
      >
        {t(($) => $.signIn.elsewhere, { name })}
      </Button>
      <Text size="sm" c="dimmed">
        {t(($) => $.signIn.elsewhereHint)}
      </Text>
    </Stack>
  )
}
