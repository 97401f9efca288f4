import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  changeLeadsMutation,
  countLeadsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { isNothing, nothingSelected, type Selection } from '../../lib/selection.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { Page } from '../../ui/Page.tsx'
import { isAtLeast, useWorkspace } from '../users/index.ts'
import { chosenColumns } from './columns.tsx'
import { exportAddress } from './export-address.ts'
import { ImportLeads } from './ImportLeads.tsx'
import { LeadList } from './LeadList.tsx'
import classes from './LeadsPage.module.css'
import { filterOf, type LeadFilter, type LeadSearch, leadQueryOf } from './lead-filter.ts'
import { useCampaigns } from './useCampaigns.ts'

// Of no use before somebody has seen the list.
const BulkBar = lazyPart(() => import('./BulkBar.tsx'))
const ColumnsMenu = lazyPart(() => import('./ColumnsMenu.tsx'))
const ExportLeads = lazyPart(() => import('./ExportLeads.tsx'))
const JobNotice = lazyPart(() => import('./JobNotice.tsx'))
const LeadFilters = lazyPart(() => import('./LeadFilters.tsx'))
const LeadPanel = lazyPart(() => import('./LeadPanel.tsx'))
const ViewsMenu = lazyPart(() => import('./ViewsMenu.tsx'))

const route = getRouteApi('/signed-in/w/$handle/leads')

/** Everybody that campaigns write to. */
export function LeadsPage() {
  const { t } = useTranslation()
  const { id: workspaceId, role } = useWorkspace()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const campaigns = useCampaigns()
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [job, setJob] = useState<LeadJob>()
  // What was typed into the search goes with the other filters.
  const [resets, setResets] = useState(0)
  const query = leadQueryOf(filterOf(search))
  // What was chosen was chosen of another list, however this one was come to.
  const list = JSON.stringify(query)
  const [chosenOf, setChosenOf] = useState(list)
  if (chosenOf !== list) {
    setChosenOf(list)
    setSelection(nothingSelected)
  }
  const { data: total } = useQuery(countLeadsOptions({ query }))
  const mayChange = isAtLeast(role, 'member')
  const change = useMutation({
    ...changeLeadsMutation(),
    onSuccess(started) {
      setJob(started)
      setSelection(nothingSelected)
    },
  })
  const show = (filter: LeadFilter) =>
    void navigate({ search: { ...filter, columns: search.columns }, replace: true })
  const open = useCallback(
    (lead: string | undefined) =>
      void navigate({ search: (before: LeadSearch) => ({ ...before, lead }) }),
    [navigate],
  )
  const chosen = selection.isAll
    ? { filter: query, excluded: [...selection.ids] }
    : { ids: [...selection.ids] }
  const importing = <ImportLeads campaignId={search.campaign} />
  return (
    <Page
      title={t(($) => $.leads.title)}
      lead={
        total &&
        t(($) => (total.is_estimate ? $.leads.moreThan : $.leads.count), { count: total.count })
      }
      fill
      actions={
        <>
          <Suspense>
            <ViewsMenu
              search={search}
              onOpen={(view) => {
                setResets(resets + 1)
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
          {mayChange && importing}
        </>
      }
    >
      <div className={classes.body}>
        <div className={classes.filters}>
          <Suspense>
            <LeadFilters key={resets} search={search} campaigns={campaigns} onChange={show} />
          </Suspense>
        </div>
        {change.error && <FaultNotice fault={change.error} />}
        <div className={classes.list}>
          <LeadList
            search={search}
            campaigns={campaigns}
            selection={mayChange ? selection : undefined}
            onSelect={setSelection}
            onOpen={open}
            onReset={() => {
              setResets(resets + 1)
              show({})
            }}
            whenEmpty={mayChange && importing}
          />
        </div>
        <Suspense>
          {job && <JobNotice key={job.id} started={job} onClose={() => setJob(undefined)} />}
          {!isNothing(selection) && (
            <BulkBar
              selection={selection}
              total={total}
              campaigns={campaigns}
              onChange={(wanted) => change.mutate({ body: { ...wanted, ...chosen } })}
              onClear={() => setSelection(nothingSelected)}
              download={<ExportLeads address={exportAddress(workspaceId, selection, query)} />}
            />
          )}
        </Suspense>
      </div>
      <Suspense>
        {search.lead && (
          <LeadPanel
            key={search.lead}
            id={search.lead}
            onOpen={open}
            onChanged={setJob}
            onClose={() => open(undefined)}
          />
        )}
      </Suspense>
    </Page>
  )
}
