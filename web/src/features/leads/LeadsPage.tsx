import { Box, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { countLeadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { allSelected } from '../../lib/selection.ts'
import { Page } from '../../ui/Page.tsx'
import { useMay, useWorkspace } from '../users/index.ts'
import { chosenColumns } from './columns.tsx'
import { exportAddress } from './export-address.ts'
import { ImportLeads } from './ImportLeads.tsx'
import { Leads } from './Leads.tsx'
import { filterOf, type LeadFilter, type LeadSearch, leadQueryOf } from './search.ts'
import { useCampaigns } from './useCampaigns.ts'

// Of no use before somebody has seen the list.
const ColumnsMenu = lazyPart(() => import('./ColumnsMenu.tsx'), 'ColumnsMenu')
const ViewsMenu = lazyPart(() => import('./ViewsMenu.tsx'), 'ViewsMenu')

const route = getRouteApi('/signed-in/w/$handle/leads')

/** Everybody that campaigns write to. */
export function LeadsPage() {
  const { t } = useTranslation()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { campaigns } = useCampaigns()
  // What is typed into the search is not that of a view; an open lead asks before it goes.
  const [views, setViews] = useState(0)
  const { id: workspaceId } = useWorkspace()
  const query = leadQueryOf(filterOf(search))
  const { data: total } = useQuery(countLeadsOptions({ query }))
  const mayChange = useMay('member')
  // An open panel stays as it is: filters are no leaving.
  const show = (filter: LeadFilter) => {
    const { columns, lead } = search
    void navigate({ search: { ...filter, columns, lead }, replace: true })
  }
  const open = useCallback(
    (lead: string | undefined) =>
      void navigate({ search: (before: LeadSearch) => ({ ...before, lead }) }),
    [navigate],
  )
  const importing = <ImportLeads campaignId={search.campaign} />
  return (
    <Page
      title={t(($) => $.leads.title)}
      lead={
        total === undefined
          ? '\u00a0'
          : total.count > 0
            ? t(($) => (total.is_estimate ? $.leads.moreThan : $.leads.count), {
                count: total.count,
              })
            : undefined
      }
      fill
      actions={
        <>
          <Suspense
            fallback={
              <>
                <Room name={t(($) => $.leads.views.menu)} />
                <Room name={t(($) => $.leads.columnsMenu)} className="wide-only" />
              </>
            }
          >
            <ViewsMenu
              search={search}
              onOpen={(view) => {
                setViews(views + 1)
                void navigate({ search: { ...view, lead: undefined } })
              }}
            />
            <ColumnsMenu
              chosen={chosenColumns(search.columns)}
              onChange={(columns) =>
                void navigate({ search: { ...search, columns: columns.join() }, replace: true })
              }
            />
          </Suspense>
          {mayChange && (
            <Button
              component="a"
              variant="default"
              className="wide-only"
              leftSection={<Download size="1rem" aria-hidden />}
              href={exportAddress(workspaceId, allSelected, query)}
              download
            >
              {t(($) => $.leads.exportAll)}
            </Button>
          )}
          {mayChange && importing}
        </>
      }
    >
      <Leads
        filtersKey={views}
        search={search}
        campaigns={campaigns}
        onFilter={show}
        onOpen={open}
        whenEmpty={mayChange && importing}
      />
    </Page>
  )
}

/** As much as the button takes that comes: the others are where they will stay. */
const Room = ({ name, className = '' }: { name: string; className?: string }) => (
  <Button
    variant="default"
    className={className}
    style={{ visibility: 'hidden' }}
    leftSection={<Box w="1rem" />}
  >
    {name}
  </Button>
)
