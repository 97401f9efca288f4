import { Button, Drawer, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { useMay } from '../users/index.ts'
import { InvitationList } from './InvitationList.tsx'
import { MemberList } from './MemberList.tsx'

const Invite = lazyPart(() => import('./Invite.tsx'), 'Invite')
const route = getRouteApi('/signed-in/w/$handle/settings/members')

/** Settings → Members. */
export function MembersPage() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const close = () => void navigate({ search: {} })
  const mayInvite = useMay('admin')
  return (
    <Page
      title={t(($) => $.members.title)}
      lead={t(($) => $.members.lead)}
      actions={
        mayInvite && (
          <Button
            leftSection={<UserPlus size="1rem" aria-hidden />}
            onClick={() => void navigate({ search: { panel: 'invite' } })}
          >
            {t(($) => $.members.invite)}
          </Button>
        )
      }
    >
      <MemberList />
      {mayInvite && (
        <>
          <Title order={2} mt="xl" mb="sm">
            {t(($) => $.invitations.title)}
          </Title>
          <InvitationList />
          <Suspense>
            <Drawer opened={panel === 'invite'} onClose={close} title={t(($) => $.members.invite)}>
              <Invite onDone={close} />
            </Drawer>
          </Suspense>
        </>
      )}
    </Page>
  )
}
