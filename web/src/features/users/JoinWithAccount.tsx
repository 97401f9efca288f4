import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  acceptInvitationMutation,
  getSessionOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { rememberWorkspace } from '../../lib/remembered-workspace.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { SignInForm } from './SignInForm.tsx'
import { SignInWithProvider } from './SignInWithProvider.tsx'
import { useEnterApplication } from './useEnterApplication.ts'

interface JoinWithAccountProps {
  token: string
  email: string
  /** Of the workspace that they join. */
  handle: string
}

/** Somebody who works here already, in another workspace: signs in if need be, and joins. */
export function JoinWithAccount({ token, email, handle }: JoinWithAccountProps) {
  const { t } = useTranslation()
  const enter = useEnterApplication()
  // Whoever signs in at a provider does so in another tab, and comes back.
  const session = useQuery({ ...getSessionOptions(), refetchOnWindowFocus: 'always' })
  const accept = useMutation({
    ...acceptInvitationMutation(),
    onSuccess() {
      rememberWorkspace(handle)
      return enter()
    },
  })
  const join = () => accept.mutate({ body: { token } })

  if (session.isPending) return <LoadingRows rows={2} />
  const isSignedIn = session.data?.user?.email === email
  return (
    <Stack>
      {accept.error && <FaultNotice fault={accept.error} />}
      {isSignedIn ? (
        <>
          <Text>{t(($) => $.invitation.signedIn, { email })}</Text>
          <Button loading={accept.isPending} onClick={join}>
            {t(($) => $.invitation.submit)}
          </Button>
        </>
      ) : (
        <>
          <Text>{t(($) => $.invitation.signIn)}</Text>
          <SignInForm email={email} onDone={async () => join()} />
          {session.data?.oidc_name && <SignInWithProvider name={session.data.oidc_name} opensTab />}
        </>
      )}
    </Stack>
  )
}
