import { Button, Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { countSuppressionsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { useMay, useWorkspace } from '../users/index.ts'
import { SuppressionFilters } from './SuppressionFilters.tsx'
import { SuppressionList } from './SuppressionList.tsx'

// Behind a button.
const AddSuppression = lazyPart(() => import('./AddSuppression.tsx'), 'AddSuppression')
const ImportSuppressions = lazyPart(() => import('./ImportSuppressions.tsx'), 'ImportSuppressions')

const route = getRouteApi('/signed-in/w/$handle/settings/suppression')

/** Settings → Suppression. */
export function SuppressionPage() {
  const { t } = useTranslation()
  const { id } = useWorkspace()
  const { panel, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const counts = useQuery(countSuppressionsOptions())
  const close = () => void navigate({ search: filter })
  const open = (name: 'add' | 'import') => void navigate({ search: { ...filter, panel: name } })
  const mayChange = useMay('admin')
  const add = mayChange && (
    <Button leftSection={<Plus size="1rem" aria-hidden />} onClick={() => open('add')}>
      {t(($) => $.suppression.add)}
    </Button>
  )
  const total = counts.data?.counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Page
      title={t(($) => $.suppression.title)}
      lead={t(($) => $.suppression.lead)}
      actions={
        <>
          <Button
            variant="default"
            component="a"
            href={`/app/suppressions/export.csv?workspace=${id}`}
            download
          >
            {t(($) => $.suppression.export)}
          </Button>
          {mayChange && (
            <Button variant="default" onClick={() => open('import')}>
              {t(($) => $.suppression.import.action)}
            </Button>
          )}
          {add}
        </>
      }
    >
      <SuppressionFilters
        filter={filter}
        onChange={(changed) => void navigate({ search: changed, replace: true })}
      />
      {total !== undefined && total > 0 && <TitleCount count={total} />}
      <SuppressionList
        filter={filter}
        mayChange={mayChange}
        onReset={() => void navigate({ search: {} })}
        whenEmpty={add}
      />
      {mayChange && (
        <>
          <Suspense>
            <Drawer
              opened={panel === 'add'}
              onClose={close}
              title={t(($) => $.suppression.form.title)}
            >
              <AddSuppression onDone={close} />
            </Drawer>
          </Suspense>
          <Suspense>
            <Drawer
              opened={panel === 'import'}
              onClose={close}
              title={t(($) => $.suppression.import.title)}
            >
              <ImportSuppressions onDone={close} />
            </Drawer>
          </Suspense>
        </>
      )}
    </Page>
  )
}
