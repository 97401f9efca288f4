import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { setConnection } from '../../api/connection.ts'
import { getSessionOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { SessionState } from '../../api/generated/types.gen.ts'
import { forgetSession } from '../../api/sign-out.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { NarrowPage } from '../../ui/NarrowPage.tsx'
import { SignInForm } from './SignInForm.tsx'
import { SignInWithProvider } from './SignInWithProvider.tsx'
import { readSession } from './session.ts'
import { ifAllowed, keepWanted, readWanted } from './wanted-page.ts'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { t } = useTranslation()
  const { next: asked, error } = route.useSearch()
  // Whoever comes back from a provider that let them down still wants the same.
  const [wanted] = useState(() => asked ?? readWanted())
  useEffect(() => keepWanted(wanted), [wanted])
  const router = useRouter()
  const session = useQuery(getSessionOptions())
  const enter = async () => {
    forgetSession()
    setConnection('connected')
    const entered = await readSession().catch(() => undefined)
    if (entered) goOn(entered)
    // It says why not, and what was wanted waits.
    else router.history.replace('/')
  }
  const goOn = (entered: SessionState) => {
    keepWanted(undefined)
    // A whole path with its search, which the router takes apart.
    router.history.replace(ifAllowed(wanted, entered) ?? '/')
  }
  const onSession = useEffectEvent(goOn)
  useEffect(() => {
    if (session.data?.user) onSession(session.data)
  }, [session.data])
  if (session.data?.is_set_up === false) return <Navigate to="/set-up" />
  return (
    <NarrowPage title={t(($) => $.signIn.title)}>
      {session.error && (
        <FaultNotice fault={session.error} onRetry={() => void session.refetch()} />
      )}
      {error && (
        <Alert color="red" role="alert" mb="md">
          {t(($) => (error === 'oidc' ? $.signIn.refusedElsewhere : $.signIn.failedElsewhere))}
        </Alert>
      )}
      <SignInForm onDone={enter} />
      {session.data?.oidc_name && <SignInWithProvider name={session.data.oidc_name} />}
      <Text size="sm" c="dimmed" mt="lg">
        {t(($) => $.signIn.forgot)}
      </Text>
    </NarrowPage>
  )
}
