import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listServiceAccountKeysInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { ServiceAccountKey } from '../../api/generated/types.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { KeyRow } from './KeyRow.tsx'
import { RevokeKey } from './RevokeKey.tsx'

/** Every key that is not revoked, newest first. */
export function KeyList({ whenEmpty }: { whenEmpty: ReactNode }) {
  const { t } = useTranslation()
  const [revoking, setRevoking] = useState<ServiceAccountKey>()
  const keys = useInfiniteQuery({
    ...listServiceAccountKeysInfiniteOptions({ query: { limit: 50 } }),
    ...keysetPaging,
  })

  return (
    <ListOf
      query={keys}
      rows={5}
      empty={
        <EmptyState
          title={t(($) => $.keys.empty.title)}
          body={t(($) => $.keys.empty.body)}
          action={whenEmpty}
        />
      }
    >
      {(items) => (
        <>
          <TitleCount count={items.length} hasMore={keys.hasNextPage} />
          <Table label={t(($) => $.keys.title)}>
            <thead>
              <tr>
                <th>{t(($) => $.keys.columns.name)}</th>
                <th className="wide-only">{t(($) => $.keys.columns.prefix)}</th>
                <th className="wide-only">{t(($) => $.keys.columns.scopes)}</th>
                <th className="wide-only">{t(($) => $.keys.columns.madeBy)}</th>
                <th className="wide-only">{t(($) => $.keys.columns.lastUsed)}</th>
                <th className="wide-only">{t(($) => $.keys.columns.expires)}</th>
                <th>{t(($) => $.keys.columns.status)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map((key) => (
                <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
              ))}
            </tbody>
          </Table>
          {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
        </>
      )}
    </ListOf>
  )
}
