import { UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import classes from '../../ui/FilterChip.module.css'
import { type CampaignFilter, statuses } from './search.ts'
import { summariesOptions } from './summaries.ts'

interface StatusChipsProps {
  filter: CampaignFilter
  onChange: (status: CampaignFilter['status']) => void
}

/** One for each state, with how many are in it where the first page of the list holds them all. */
export function StatusChips({ filter: { status, search }, onChange }: StatusChipsProps) {
  const { t } = useTranslation()
  const all = useInfiniteQuery(summariesOptions({ search }))
  const items = all.hasNextPage ? undefined : all.data?.pages.flatMap((page) => page.items)
  return (
    <fieldset className={classes.chips} aria-label={t(($) => $.campaigns.status)}>
      {statuses.map((each) => (
        <UnstyledButton
          key={each}
          className={classes.chip}
          data-chosen={each === status || undefined}
          aria-pressed={each === status}
          onClick={() => onChange(each === status ? undefined : each)}
        >
          <span>{t(($) => $.campaigns.statuses[each])}</span>
          {items && (
            <span className="numbers">{items.filter((item) => item.status === each).length}</span>
          )}
        </UnstyledButton>
      ))}
    </fieldset>
  )
}
