import { Button, Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { useMay } from '../users/index.ts'
import { WebhookList } from './WebhookList.tsx'

// Opened by few who look at the page.
const CreateWebhook = lazyPart(() => import('./CreateWebhook.tsx'), 'CreateWebhook')

const route = getRouteApi('/signed-in/w/$handle/settings/webhooks')

/** Settings → Integrations → Webhooks. */
export function WebhooksPage() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const mayManage = useMay('admin')
  const close = () => void navigate({ search: {} })
  const create = mayManage && (
    <Button
      leftSection={<Plus size="1rem" aria-hidden />}
      onClick={() => void navigate({ search: { panel: 'new' } })}
    >
      {t(($) => $.webhooks.create)}
    </Button>
  )
  return (
    <Page title={t(($) => $.webhooks.title)} lead={t(($) => $.webhooks.lead)} actions={create}>
      <WebhookList whenEmpty={create} />
      <Suspense>
        <Drawer
          opened={mayManage && panel === 'new'}
          onClose={close}
          title={t(($) => $.webhooks.form.title)}
        >
          <CreateWebhook
            onCancel={close}
            onDone={(id) =>
              // Back leads to the list: the form would be there again, and blank.
              void navigate({
                ...{ to: '/w/$handle/settings/webhooks/$id', params: { id }, search: {} },
                replace: true,
              })
            }
          />
        </Drawer>
      </Suspense>
    </Page>
  )
}
