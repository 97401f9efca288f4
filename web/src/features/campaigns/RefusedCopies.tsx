import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { listRefusedCopiesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { useDraft } from './useDraft.ts'

/** Copies that mail servers do not take, in the servers' words; nothing where all are taken. */
export function RefusedCopies() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id, cc_list, bcc_list } = useDraft().campaign
  const copies = [...cc_list, ...bcc_list]
  const { data } = useQuery({
    ...listRefusedCopiesOptions({ path: { id } }),
    enabled: copies.length > 0,
  })
  // Who was taken off a moment ago is not waited for.
  const refused = (data?.items ?? []).filter(({ address }) => copies.includes(address))
  if (refused.length === 0) return null
  return (
    <Alert
      color="yellow"
      role="status"
      mt="sm"
      icon={<TriangleAlert size="1rem" aria-hidden />}
      title={t(($) => $.campaigns.refusedCopies.title, { count: refused.length })}
    >
      <List size="sm" spacing={4}>
        {refused.map(({ address, code, message, mails }) => (
          <List.Item key={address}>
            {t(($) => $.campaigns.refusedCopies.mails, {
              address,
              reason: [code, message].filter(Boolean).join(' '),
              count: mails,
            })}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        {t(($) => $.campaigns.refusedCopies.whatToDo)}{' '}
        <Link
          to="/w/$handle/campaigns/$id"
          params={{ handle, id }}
          search={{ tab: 'options' }}
          className={classes.linkInNotice}
        >
          {t(($) => $.campaigns.refusedCopies.show)}
        </Link>
      </Text>
    </Alert>
  )
}
