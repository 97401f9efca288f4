import { Anchor, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { listImportsInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { numberText } from '../../lib/number.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table } from '../../ui/Table.tsx'
import { useCampaigns } from '../leads/index.ts'
import { ImportState } from './ImportState.tsx'
import { skippedOf } from './outcome.ts'

const route = getRouteApi('/signed-in/w/$handle/leads/import')

/** What was imported before, and what waits to be gone on with. */
export function PastImports() {
  const { t } = useTranslation()
  const { handle } = route.useParams()
  const { campaigns } = useCampaigns()
  const pages = useInfiniteQuery({
    ...listImportsInfiniteOptions({ query: { limit: 25 } }),
    ...keysetPaging,
  })
  const number = (count: number | undefined) => (count === undefined ? '–' : numberText(count))
  return (
    <ListOf
      query={pages}
      rows={4}
      empty={
        <EmptyState title={t(($) => $.imports.none.title)} body={t(($) => $.imports.none.body)} />
      }
    >
      {(items) => (
        <section>
          <Title order={2} mb="xs">
            {t(($) => $.imports.past)}
          </Title>
          <Table label={t(($) => $.imports.past)}>
            <thead>
              <tr>
                <th>{t(($) => $.imports.columns.file)}</th>
                <th>{t(($) => $.imports.columns.state)}</th>
                <th className="wide-only">{t(($) => $.imports.columns.campaign)}</th>
                <th className="end wide-only">{t(($) => $.imports.columns.added)}</th>
                <th className="end wide-only">{t(($) => $.imports.columns.updated)}</th>
                <th className="end wide-only">{t(($) => $.imports.columns.skipped)}</th>
                <th className="end">{t(($) => $.imports.columns.when)}</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ id, file_name, state, campaign_id, result, timestamp_created }) => (
                <tr key={id}>
                  <td>
                    <Anchor
                      size="sm"
                      renderRoot={(props) => (
                        <Link
                          {...props}
                          to="/w/$handle/leads/import"
                          params={{ handle }}
                          search={{ id }}
                        />
                      )}
                    >
                      {file_name}
                    </Anchor>
                  </td>
                  <td>
                    <ImportState state={state} />
                  </td>
                  <td className="wide-only">{campaigns.get(campaign_id ?? '') ?? '–'}</td>
                  <td className="end wide-only numbers">{number(result?.added)}</td>
                  <td className="end wide-only numbers">{number(result?.updated)}</td>
                  <td className="end wide-only numbers">
                    {number(result ? skippedOf(result) : undefined)}
                  </td>
                  <td className="end">
                    <RelativeTime at={timestamp_created} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      )}
    </ListOf>
  )
}
