import { NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { listSendsInfiniteOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../../lib/keyset-paging.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ListOf } from '../../../ui/ListOf.tsx'
import { Table } from '../../../ui/Table.tsx'
import { campaignSearchOf, sendStates } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import { MailRow } from './MailRow.tsx'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** Every mail of the campaign with what became of it, newest first. */
export function MailsTab() {
  const { t } = useTranslation()
  const { id } = useDraft().campaign
  const { state } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (chosen: string | undefined) =>
    void navigate({ search: campaignSearchOf({ tab: 'mails', state: chosen }), replace: true })
  const mails = useInfiniteQuery({
    ...listSendsInfiniteOptions({
      query: { campaign_id: id, limit: 50, ...(state ? { state } : {}) },
    }),
    ...keysetPaging,
  })
  return (
    <>
      <NativeSelect
        aria-label={t(($) => $.campaigns.mails.state)}
        value={state ?? ''}
        w="14rem"
        mb="md"
        onChange={(event) => show(event.currentTarget.value)}
        data={[
          { value: '', label: t(($) => $.campaigns.mails.all) },
          ...sendStates.map((each) => ({
            value: each,
            label: t(($) => $.campaigns.mails.states[each]),
          })),
        ]}
      />
      <ListOf
        query={mails}
        rows={6}
        empty={
          <EmptyState
            title={t(($) => $.campaigns.mails.empty[state ? 'match' : 'title'])}
            body={t(($) => $.campaigns.mails.empty[state ? 'matchBody' : 'body'])}
            onReset={state && (() => show(undefined))}
          />
        }
      >
        {(items) => (
          <Table label={t(($) => $.campaigns.tabs.mails)}>
            <thead>
              <tr>
                <th>{t(($) => $.campaigns.mails.lead)}</th>
                <th className="wide-only">{t(($) => $.campaigns.mails.mail)}</th>
                <th className="wide-only">{t(($) => $.campaigns.mails.mailbox)}</th>
                <th>{t(($) => $.campaigns.mails.state)}</th>
                <th className="end wide-only">{t(($) => $.campaigns.mails.when)}</th>
                <td className="wide-only" />
              </tr>
            </thead>
            <tbody>
              {items.map((mail) => (
                <MailRow key={mail.id} mail={mail} />
              ))}
            </tbody>
          </Table>
        )}
      </ListOf>
    </>
  )
}
