import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router'
import type { SessionState } from '../../api/generated/types.gen.ts'
import { contactsSearchOf } from '../../features/acquisition/index.ts'
import { auditSearchOf } from '../../features/audit/index.ts'
import { campaignSearchOf, campaignsSearchOf } from '../../features/campaigns/index.ts'
import { importSearchOf } from '../../features/imports/index.ts'
import { inboxSearchOf } from '../../features/inbox/index.ts'
import { labelsSearchOf } from '../../features/labels/index.ts'
import { leadsSearchOf } from '../../features/leads/index.ts'
import { connectSearchOf, mailboxesSearchOf } from '../../features/mailboxes/index.ts'
import { suppressionPageSearchOf } from '../../features/suppression/index.ts'
import { webhookSearchOf } from '../../features/webhooks/index.ts'
import { panelOf } from '../../lib/search.ts'
import { NotFound } from '../NotFound.tsx'
import { WorkspaceScope } from '../WorkspaceScope.tsx'
import { signedIn } from './signed-in.tsx'

/** The one that is looked at: whoever is taken out of it meanwhile keeps its pages until they leave them. */
let open: SessionState['workspaces'][number] | undefined

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: 'w/$handle',
  beforeLoad: ({ context, params, cause }) => {
    const isThis = ({ handle }: { handle: string }) => handle === params.handle
    const kept = open && cause !== 'enter' && isThis(open) ? open : undefined
    const found = context.session.workspaces.find(isThis) ?? kept
    if (!found) throw notFound()
    if (cause !== 'preload') open = found
    return { workspace: found }
  },
  component: WorkspaceScope,
})

const workspaceHome = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('../../features/home/HomePage.tsx'), 'HomePage'),
})

const inbox = createRoute({
  getParentRoute: () => workspace,
  path: 'inbox',
  validateSearch: (search) => inboxSearchOf(search),
  component: lazyRouteComponent(() => import('../../features/inbox/InboxPage.tsx'), 'InboxPage'),
})

const campaigns = createRoute({
  getParentRoute: () => workspace,
  path: 'campaigns',
  validateSearch: (search) => campaignsSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/campaigns/CampaignsPage.tsx'),
    'CampaignsPage',
  ),
})

const campaign = createRoute({
  getParentRoute: () => workspace,
  path: 'campaigns/$id',
  validateSearch: (search) => campaignSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/campaigns/CampaignPage.tsx'),
    'CampaignPage',
  ),
})

const leads = createRoute({
  getParentRoute: () => workspace,
  path: 'leads',
  validateSearch: (search) => leadsSearchOf(search),
  component: lazyRouteComponent(() => import('../../features/leads/LeadsPage.tsx'), 'LeadsPage'),
})

const leadImport = createRoute({
  getParentRoute: () => workspace,
  path: 'leads/import',
  validateSearch: (search) => importSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/imports/ImportPage.tsx'),
    'ImportPage',
  ),
})

const mailboxes = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes',
  validateSearch: (search) => mailboxesSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/mailboxes/MailboxesPage.tsx'),
    'MailboxesPage',
  ),
})

const connectMailbox = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/connect',
  validateSearch: (search) => connectSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/mailboxes/ConnectPage.tsx'),
    'ConnectPage',
  ),
})

const mailboxConsent = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/consent',
  component: lazyRouteComponent(
    () => import('../../features/mailboxes/ConsentPage.tsx'),
    'ConsentPage',
  ),
})

const mailbox = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/$id',
  component: lazyRouteComponent(
    () => import('../../features/mailboxes/MailboxPage.tsx'),
    'MailboxPage',
  ),
})

const labels = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/labels',
  validateSearch: (search) => labelsSearchOf(search),
  component: lazyRouteComponent(() => import('../../features/labels/LabelsPage.tsx'), 'LabelsPage'),
})

const suppression = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/suppression',
  validateSearch: (search) => suppressionPageSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/suppression/SuppressionPage.tsx'),
    'SuppressionPage',
  ),
})

const contacts = createRoute({
  getParentRoute: () => workspace,
  path: 'contacts',
  validateSearch: (search) => contactsSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/acquisition/ContactsPage.tsx'),
    'ContactsPage',
  ),
})

const keys = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/keys',
  validateSearch: panelOf('new'),
  component: lazyRouteComponent(() => import('../../features/keys/KeysPage.tsx'), 'KeysPage'),
})

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/webhooks',
  validateSearch: panelOf('new'),
  component: lazyRouteComponent(
    () => import('../../features/webhooks/WebhooksPage.tsx'),
    'WebhooksPage',
  ),
})

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/webhooks/$id',
  validateSearch: (search) => webhookSearchOf(search),
  component: lazyRouteComponent(
    () => import('../../features/webhooks/WebhookPage.tsx'),
    'WebhookPage',
  ),
})

const members = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/members',
  validateSearch: panelOf('invite'),
  component: lazyRouteComponent(
    () => import('../../features/members/MembersPage.tsx'),
    'MembersPage',
  ),
})

const workspaceSettings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/workspace',
  validateSearch: panelOf('plan'),
  component: lazyRouteComponent(
    () => import('../../features/workspaces/WorkspacePage.tsx'),
    'WorkspacePage',
  ),
})

const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/audit',
  validateSearch: (search) => auditSearchOf(search),
  component: lazyRouteComponent(() => import('../../features/audit/AuditPage.tsx'), 'AuditPage'),
})

/** Within the shell, so that one can go on from there. */
const unknownPage = createRoute({ getParentRoute: () => workspace, path: '$', component: NotFound })

/** The pages of a workspace. */
export const workspaceRoutes = workspace.addChildren([
  workspaceHome,
  campaigns,
  campaign,
  leads,
  leadImport,
  inbox,
  contacts,
  keys,
  webhooks,
  webhook,
  mailboxes,
  connectMailbox,
  mailboxConsent,
  mailbox,
  labels,
  suppression,
  members,
  workspaceSettings,
  audit,
  unknownPage,
])
