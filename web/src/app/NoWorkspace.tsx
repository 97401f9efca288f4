import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSignedIn } from '../features/users/index.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { EmptyState } from '../ui/EmptyState.tsx'

const CreateWorkspace = lazyPart(
  () => import('../features/workspaces/CreateWorkspace.tsx'),
  'CreateWorkspace',
)

/** Of somebody who was taken out of the last one; whoever runs the server can make another one. */
export function NoWorkspace() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const [isCreating, creation] = useDisclosure()
  const body = user.is_operator
    ? t(($) => $.noWorkspace.operatorBody)
    : t(($) => $.noWorkspace.body)
  const action = user.is_operator && (
    <Button onClick={creation.open}>{t(($) => $.newWorkspace.action)}</Button>
  )
  return (
    <>
      <EmptyState isPage title={t(($) => $.noWorkspace.title)} body={body} action={action} />
      <Suspense>{isCreating && <CreateWorkspace onClose={creation.close} />}</Suspense>
    </>
  )
}
