import { Button, Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { RoleNeeded } from '../users/index.ts'
import { KeyList } from './KeyList.tsx'

const CreateKey = lazyPart(() => import('./CreateKey.tsx'), 'CreateKey')
const route = getRouteApi('/signed-in/w/$handle/settings/keys')

/** Settings → Integrations → OAuth service accounts. */
export function KeysPage() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const open = () => void navigate({ search: { panel: 'new' } })
  const close = () => void navigate({ search: {} })
  const create = (
    <Button leftSection={<Plus size="1rem" aria-hidden />} onClick={open}>
      {t(($) => $.keys.create)}
    </Button>
  )
  return (
    <RoleNeeded least="admin">
      <Page title={t(($) => $.keys.title)} lead={t(($) => $.keys.lead)} actions={create}>
        <KeyList whenEmpty={create} />
        <Suspense>
          <Drawer opened={panel === 'new'} onClose={close} title={t(($) => $.keys.form.title)}>
            <CreateKey onDone={close} />
          </Drawer>
        </Suspense>
      </Page>
    </RoleNeeded>
  )
}
