import { Button, Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { useMay } from '../users/index.ts'
import { LabelList } from './LabelList.tsx'

// Nothing is open when somebody comes here first.
const CreateLabel = lazyPart(() => import('./CreateLabel.tsx'), 'CreateLabel')
const EditLabel = lazyPart(() => import('./EditLabel.tsx'), 'EditLabel')

const route = getRouteApi('/signed-in/w/$handle/settings/labels')

/** Settings → Labels. */
export function LabelsPage() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const close = () => void navigate({ search: {} })
  const mayChange = useMay('admin')
  const create = mayChange && (
    <Button
      leftSection={<Plus size="1rem" aria-hidden />}
      onClick={() => void navigate({ search: { panel: 'new' } })}
    >
      {t(($) => $.labels.create)}
    </Button>
  )
  return (
    <Page title={t(($) => $.labels.title)} lead={t(($) => $.labels.lead)} actions={create}>
      <LabelList
        whenEmpty={create}
        onEdit={mayChange ? (id) => void navigate({ search: { panel: id } }) : undefined}
      />
      <Suspense>
        <Drawer
          opened={mayChange && panel === 'new'}
          onClose={close}
          title={t(($) => $.labels.form.newTitle)}
        >
          <CreateLabel onDone={close} />
        </Drawer>
        <Drawer
          opened={mayChange && panel !== undefined && panel !== 'new'}
          onClose={close}
          title={t(($) => $.labels.form.editTitle)}
        >
          {panel && <EditLabel id={panel} onDone={close} />}
        </Drawer>
      </Suspense>
    </Page>
  )
}
