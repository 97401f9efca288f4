import { Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  changeLeadsMutation,
  countLeadsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { isNothing, nothingSelected, type Selection } from '../../lib/selection.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useMay, useWorkspace } from '../users/index.ts'
import { exportAddress } from './export-address.ts'
import { LeadList } from './LeadList.tsx'
import classes from './Leads.module.css'
import { filterOf, type LeadFilter, type LeadSearch, leadQueryOf } from './search.ts'
import { useShownJobs } from './shown-jobs.ts'

// Of no use before somebody has seen the list.
const BulkBar = lazyPart(() => import('./BulkBar.tsx'), 'BulkBar')
const ErasureNotices = lazyPart(() => import('./ErasureNotice.tsx'), 'ErasureNotices')
const ExportLeads = lazyPart(() => import('./ExportLeads.tsx'), 'ExportLeads')
const JobNotice = lazyPart(() => import('./JobNotice.tsx'), 'JobNotice')
const LeadFilters = lazyPart(() => import('./LeadFilters.tsx'), 'LeadFilters')
const LeadPanel = lazyPart(() => import('./LeadPanel.tsx'), 'LeadPanel')

interface LeadsProps {
  search: LeadSearch
  campaigns: ReadonlyMap<string, string>
  /** Whose leads alone are shown; undefined: those of all campaigns. */
  campaignId?: string
  /** With another one the filters forget what is being typed there; an open lead stays as it is. */
  filtersKey?: number
  onFilter: (filter: LeadFilter) => void
  onOpen: (lead: string | undefined) => void
  whenEmpty: ReactNode
}

/** Leads with their filters, what can be done with those that are chosen, and the panel of one. */
export function Leads(props: LeadsProps) {
  const { search, campaigns, campaignId, filtersKey, onFilter, onOpen, whenEmpty } = props
  const { t } = useTranslation()
  const { id: workspaceId } = useWorkspace()
  const mayChange = useMay('member')
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const idempotencyKey = useIdempotencyKey()
  // Chosen anew, leads are changed anew, also as they were before.
  const select: typeof setSelection = (chosen) => {
    idempotencyKey.renew()
    setSelection(chosen)
  }
  const shown = useShownJobs()
  const query = leadQueryOf(filterOf(search), campaignId)
  // What was chosen was chosen of another list, however this one was come to.
  const list = JSON.stringify(query)
  const [chosenOf, setChosenOf] = useState(list)
  if (chosenOf !== list) {
    setChosenOf(list)
    setSelection(nothingSelected)
  }
  const { data: total } = useQuery(countLeadsOptions({ query }))
  const change = useMutation({
    ...changeLeadsMutation(),
    onSuccess(started) {
      shown.show(started)
      select(nothingSelected)
    },
  })
  const chosen = selection.isAll
    ? { filter: query, excluded: [...selection.ids] }
    : { ids: [...selection.ids] }
  return (
    <>
      <div className={classes.body}>
        <div className={classes.filters}>
          <Suspense>
            <LeadFilters
              key={filtersKey}
              search={search}
              campaigns={campaignId === undefined ? campaigns : undefined}
              onChange={onFilter}
            />
          </Suspense>
        </div>
        {mayChange && search.sending === 'held_back' && (
          <Text size="xs" c="dimmed" mb="xs">
            {t(($) => $.leads.heldHint)}
          </Text>
        )}
        {change.error && <FaultNotice fault={change.error} />}
        <div className={classes.list}>
          <LeadList
            search={search}
            campaigns={campaigns}
            campaignId={campaignId}
            selection={mayChange ? selection : undefined}
            onSelect={select}
            onOpen={onOpen}
            onReset={() => onFilter({})}
            whenEmpty={whenEmpty}
          />
        </div>
        <Suspense>
          {mayChange && <ErasureNotices />}
          {shown.jobs.map((job) => (
            <JobNotice key={job.id} started={job} onClose={() => shown.close(job)} />
          ))}
          {!isNothing(selection) && (
            <BulkBar
              selection={selection}
              total={total}
              running={change.isPending ? change.variables.body.action : undefined}
              // Done twice, what is undone would be the second time alone.
              onChange={(wanted) => {
                if (change.isPending) return
                const body = { ...wanted, ...chosen }
                change.mutate({ headers: idempotencyKey.headers(JSON.stringify(body)), body })
              }}
              onClear={() => select(nothingSelected)}
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
            onOpen={onOpen}
            onChanged={shown.show}
            onClose={() => onOpen(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
