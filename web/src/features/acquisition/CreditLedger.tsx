import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listCreditEntriesInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ExactTime } from '../../ui/ExactTime.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { Table } from '../../ui/Table.tsx'

/** What credits came and went for, newest first. */
export function CreditLedger() {
  const { t } = useTranslation()
  const entries = useInfiniteQuery({
    ...listCreditEntriesInfiniteOptions({ query: { limit: 50 } }),
    ...keysetPaging,
  })
  return (
    <ListOf
      query={entries}
      rows={8}
      empty={
        <EmptyState
          title={t(($) => $.contacts.noCredits.title)}
          body={t(($) => $.contacts.noCredits.body)}
        />
      }
    >
      {(items) => (
        <Table label={t(($) => $.contacts.views.credits)}>
          <thead>
            <tr>
              <th>{t(($) => $.contacts.columns.when)}</th>
              <th>{t(($) => $.contacts.columns.what)}</th>
              <th className="wide-only">{t(($) => $.contacts.columns.reason)}</th>
              <th className="end">{t(($) => $.contacts.columns.credits)}</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ id, kind, amount, reason, contact_id, email, timestamp_created }) => (
              <tr key={id}>
                <td>
                  <ExactTime at={timestamp_created} />
                </td>
                <th scope="row">
                  {t(($) => $.contacts.kinds[kind])}
                  {contact_id && (
                    <Text size="xs" c="dimmed">
                      {email === null ? (
                        t(($) => $.contacts.optedOut)
                      ) : (
                        <MailAddress value={email} />
                      )}
                    </Text>
                  )}
                </th>
                <td className="wide-only">{reason}</td>
                <td className="numbers end">{signed.format(amount)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </ListOf>
  )
}

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' })
