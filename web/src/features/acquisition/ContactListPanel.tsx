import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAcquiredContactsInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { fullName } from '../../lib/text.ts'
import { ListOf } from '../../ui/ListOf.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { Table } from '../../ui/Table.tsx'
import { useMay } from '../users/index.ts'
import { AddToCampaign } from './AddToCampaign.tsx'
import { EmailWithStatus } from './EmailWithStatus.tsx'

interface ContactListPanelProps {
  id: string
  /** Undefined while it is not known. */
  name: string | undefined
  onClose: () => void
}

/** Who is in a list, with their addresses. */
export function ContactListPanel({ id, name, onClose }: ContactListPanelProps) {
  const { t } = useTranslation()
  const mayAdd = useMay('member')
  const contacts = useInfiniteQuery({
    ...listAcquiredContactsInfiniteOptions({ path: { list_id: id }, query: { limit: 50 } }),
    ...keysetPaging,
    initialPageParam: { path: { list_id: id } },
  })
  return (
    <SidePanel title={name ?? t(($) => $.contacts.columns.list)} onClose={onClose}>
      {mayAdd && <AddToCampaign listId={id} />}
      <ListOf query={contacts} rows={5} empty={null}>
        {(items) => (
          <Table label={name ?? t(($) => $.contacts.columns.list)}>
            <thead>
              <tr>
                <th>{t(($) => $.contacts.columns.name)}</th>
                <th className="wide-only">{t(($) => $.contacts.columns.address)}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((contact) => (
                <tr key={contact.id}>
                  <th scope="row">
                    {contact.opted_out ? t(($) => $.contacts.optedOut) : fullName(contact)}
                    <Text size="xs" c="dimmed">
                      {[contact.title, contact.company?.name].filter(Boolean).join(', ')}
                    </Text>
                    {contact.email && (
                      <div className="narrow-only">
                        <EmailWithStatus found={contact} />
                      </div>
                    )}
                  </th>
                  <td className="wide-only">
                    {contact.email && <EmailWithStatus found={contact} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </ListOf>
    </SidePanel>
  )
}
