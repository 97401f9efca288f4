import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import classes from './CampaignRow.module.css'
import { CampaignRow } from './CampaignRow.tsx'
import { DeleteCampaign } from './DeleteCampaign.tsx'
import type { CampaignFilter } from './search.ts'
import { summariesOptions } from './summaries.ts'

interface CampaignListProps {
  filter: CampaignFilter
  whenEmpty: ReactNode
  onReset: () => void
}

export function CampaignList({ filter, whenEmpty, onReset }: CampaignListProps) {
  const { t } = useTranslation()
  const [deleting, setDeleting] = useState<CampaignSummary>()
  const { status, search } = filter
  const isFiltered = status !== undefined || search !== undefined
  const texts = isFiltered ? 'noMatch' : 'empty'
  const campaigns = useInfiniteQuery(summariesOptions(filter))

  return (
    <ListOf
      query={campaigns}
      rows={6}
      empty={
        <EmptyState
          title={t(($) => $.campaigns[texts].title)}
          body={t(($) => $.campaigns[texts].body)}
          action={whenEmpty}
          onReset={isFiltered && onReset}
        />
      }
    >
      {(items) => (
        <>
          <TitleCount count={items.length} hasMore={campaigns.hasNextPage} />
          <Table label={t(($) => $.campaigns.title)}>
            <thead>
              <tr>
                <th>{t(($) => $.campaigns.columns.name)}</th>
                <th>{t(($) => $.campaigns.columns.state)}</th>
                <th className={classes.next}>{t(($) => $.campaigns.columns.progress)}</th>
                <th className={`end ${classes.first}`}>
                  {t(($) => $.campaigns.columns.contacted)}
                </th>
                <th className="end">{t(($) => $.campaigns.columns.replied)}</th>
                <th className={`end ${classes.first}`} title={t(($) => $.campaigns.autoHint)}>
                  {t(($) => $.campaigns.columns.auto)}
                </th>
                <th className={`end ${classes.next}`}>
                  {t(($) => $.campaigns.columns.interested)}
                </th>
                <th className={`end ${classes.first}`}>{t(($) => $.campaigns.columns.next)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map((campaign) => (
                <CampaignRow
                  key={campaign.id}
                  campaign={campaign}
                  onDelete={() => setDeleting(campaign)}
                />
              ))}
            </tbody>
          </Table>
          {deleting && (
            <DeleteCampaign campaign={deleting} onClose={() => setDeleting(undefined)} />
          )}
        </>
      )}
    </ListOf>
  )
}
