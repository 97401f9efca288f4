import {
  Building2,
  Contact,
  ContactRound,
  House,
  Inbox,
  KeyRound,
  type LucideIcon,
  Mails,
  MailX,
  ScrollText,
  Send,
  Tags,
  Users,
  Webhook,
} from 'lucide-react'
import type { Role } from '../../features/users/index.ts'
import type texts from '../../texts/en.json'

export interface NavItem {
  id: keyof typeof texts.places
  group: keyof typeof texts.groups
  to: NavPath
  icon: LucideIcon
  /** After `g`. */
  letter: string
  /** Who may see it at all. */
  least: Role
}

type NavPath =
  | '/w/$handle'
  | '/w/$handle/campaigns'
  | '/w/$handle/leads'
  | '/w/$handle/inbox'
  | '/w/$handle/contacts'
  | '/w/$handle/settings/keys'
  | '/w/$handle/settings/webhooks'
  | '/w/$handle/settings/mailboxes'
  | '/w/$handle/settings/labels'
  | '/w/$handle/settings/suppression'
  | '/w/$handle/settings/members'
  | '/w/$handle/settings/workspace'
  | '/w/$handle/settings/audit'

/** Entries of the navigation of a workspace; the palette and the keyboard shortcuts have the same. */
export const navItems: NavItem[] = [
  {
    ...{ id: 'home', group: 'outreach', letter: 'h', least: 'viewer' },
    ...{ to: '/w/$handle', icon: House },
  },
  {
    ...{ id: 'campaigns', group: 'outreach', letter: 'c', least: 'viewer' },
    ...{ to: '/w/$handle/campaigns', icon: Send },
  },
  {
    ...{ id: 'leads', group: 'outreach', letter: 'l', least: 'viewer' },
    ...{ to: '/w/$handle/leads', icon: Contact },
  },
  {
    ...{ id: 'inbox', group: 'outreach', letter: 'i', least: 'viewer' },
    ...{ to: '/w/$handle/inbox', icon: Inbox },
  },
  {
    ...{ id: 'contacts', group: 'outreach', letter: 'o', least: 'viewer' },
    ...{ to: '/w/$handle/contacts', icon: ContactRound },
  },
  {
    ...{ id: 'keys', group: 'integrations', letter: 'k', least: 'admin' },
    ...{ to: '/w/$handle/settings/keys', icon: KeyRound },
  },
  {
    ...{ id: 'webhooks', group: 'integrations', letter: 'e', least: 'viewer' },
    ...{ to: '/w/$handle/settings/webhooks', icon: Webhook },
  },
  {
    ...{ id: 'mailboxes', group: 'settings', letter: 'b', least: 'viewer' },
    ...{ to: '/w/$handle/settings/mailboxes', icon: Mails },
  },
  {
    ...{ id: 'labels', group: 'settings', letter: 't', least: 'viewer' },
    ...{ to: '/w/$handle/settings/labels', icon: Tags },
  },
  {
    ...{ id: 'suppression', group: 'settings', letter: 's', least: 'viewer' },
    ...{ to: '/w/$handle/settings/suppression', icon: MailX },
  },
  {
    ...{ id: 'members', group: 'settings', letter: 'm', least: 'viewer' },
    ...{ to: '/w/$handle/settings/members', icon: Users },
  },
  {
    ...{ id: 'workspace', group: 'settings', letter: 'w', least: 'viewer' },
    ...{ to: '/w/$handle/settings/workspace', icon: Building2 },
  },
  {
    ...{ id: 'audit', group: 'settings', letter: 'a', least: 'admin' },
    ...{ to: '/w/$handle/settings/audit', icon: ScrollText },
  },
]

/** In the order in which the nav shows them. */
export const groups = ['outreach', 'integrations', 'settings'] as const
