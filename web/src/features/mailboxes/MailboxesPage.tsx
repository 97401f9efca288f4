import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../ui/Page.tsx'
import { useMay, useWorkspace } from '../users/index.ts'
import { MailboxFilters } from './MailboxFilters.tsx'
import { MailboxList } from './MailboxList.tsx'
import { RemovedMailboxes } from './RemovedMailboxes.tsx'

const route = getRouteApi('/signed-in/w/$handle/settings/mailboxes')

/** Where campaigns send from. */
export function MailboxesPage() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const isAdmin = useMay('admin')
  const connect = isAdmin && (
    <Button
      component={Link}
      to={`/w/${handle}/settings/mailboxes/connect`}
      leftSection={<Plus size="1rem" aria-hidden />}
    >
      {t(($) => $.mailboxes.connect.action)}
    </Button>
  )
  return (
    <Page title={t(($) => $.mailboxes.title)} lead={t(($) => $.mailboxes.lead)} actions={connect}>
      <MailboxFilters
        filter={filter}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      <MailboxList
        filter={filter}
        onReset={() => void navigate({ search: {} })}
        whenEmpty={connect}
      />
      {isAdmin && <RemovedMailboxes />}
    </Page>
  )
}
