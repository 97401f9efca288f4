import type { SpotlightActionGroupData } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Mail, Send, UserRound, Webhook } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { personalCache } from '../../api/caches.ts'
import { searchOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { type PageName, pagePath } from '../../features/links/index.ts'

const lengthMin = 2

/** Records of the workspace that have in their name what was typed, for the palette. */
export function useFoundRecords(
  workspace: { id: string; handle: string } | undefined,
  typed: string,
): SpotlightActionGroupData[] {
  const { t } = useTranslation()
  const router = useRouter()
  const q = typed.trim()
  const id = workspace?.id ?? ''
  const { data, isPlaceholderData } = useQuery(
    {
      ...searchOptions({ query: { q }, headers: { 'X-Workspace-ID': id } }),
      enabled: workspace !== undefined && q.length >= lengthMin,
      // What is gone meanwhile would lead to an empty page.
      staleTime: 0,
      gcTime: 0,
      // What is found stays while somebody types on, and not into another workspace.
      placeholderData: (before, query) =>
        query?.queryKey[0].headers?.['X-Workspace-ID'] === id ? before : undefined,
    },
    // Its keys name the workspace; an observer would stay with the cache that it began with.
    personalCache,
  )
  if (!workspace || !data || q.length < lengthMin) return []
  const action = (page: PageName, Icon: typeof Mail, row: { id: string; label: string }) => ({
    ...row,
    // The server has found it, maybe by what is not in its label. What stays was found by another text.
    keywords: isPlaceholderData ? [] : [q],
    leftSection: <Icon size="1rem" aria-hidden />,
    onClick: () => router.history.push(pagePath(workspace.handle, page, row.id)),
  })
  return [
    {
      group: t(($) => $.palette.found.campaigns),
      actions: data.campaigns.map(({ id, name }) => action('campaign', Send, { id, label: name })),
    },
    {
      group: t(($) => $.palette.found.leads),
      actions: data.leads.map(({ id, email, name }) =>
        action('lead', UserRound, { id, label: name ? `${name}, ${email}` : email }),
      ),
    },
    {
      group: t(($) => $.palette.found.mailboxes),
      actions: data.mailboxes.map(({ id, address }) =>
        action('mailbox', Mail, { id, label: address }),
      ),
    },
    {
      group: t(($) => $.palette.found.webhooks),
      actions: data.webhooks.map(({ id, name }) => action('webhook', Webhook, { id, label: name })),
    },
  ]
}
