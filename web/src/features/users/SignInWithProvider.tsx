import { Button, Divider, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { beginOidcMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'

interface SignInWithProviderProps {
  name: string
  /** The provider is asked in a tab of its own: this page stays, with what is open in it. */
  opensTab?: boolean
}

/** At the provider of OpenID Connect that the server is configured with. */
export function SignInWithProvider({ name, opensTab = false }: SignInWithProviderProps) {
  const { t } = useTranslation()
  const begin = useMutation(beginOidcMutation())
  const go = () => {
    // Browsers let a page open one at the click, and not once the server has answered.
    const target = (opensTab && openTab()) || window
    begin.mutate(
      {},
      {
        onSuccess: ({ url }) => target.location.assign(url),
        onError: () => target !== window && target.close(),
      },
    )
  }
  return (
    <Stack mt="lg">
      <Divider label={t(($) => $.signIn.or)} />
      {begin.error && <FaultNotice fault={begin.error} />}
      <Button
        variant="default"
        loading={begin.isPending || (begin.isSuccess && !opensTab)}
        onClick={go}
      >
        {t(($) => $.signIn.elsewhere, { name })}
      </Button>
      <Text size="sm" c="dimmed">
        {t(($) => $.signIn.elsewhereHint)}
      </Text>
    </Stack>
  )
}

/** Null where the browser lets no page open one. What comes to be in it has no hold on this page. */
function openTab(): Window | null {
  const tab = open('', '_blank')
  if (tab) tab.opener = null
  return tab
}
