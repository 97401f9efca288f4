import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { contactsSearchOf } from '../features/acquisition/index.ts'
import { auditSearchOf } from '../features/audit/index.ts'
import { campaignSearchOf, campaignsSearchOf } from '../features/campaigns/index.ts'
import { inboxSearchOf } from '../features/inbox/search.ts'
import { leadsSearchOf } from '../features/leads/index.ts'
import { mailboxesSearchOf } from '../features/mailboxes/index.ts'
import { type SuppressionFilter, suppressionSearchOf } from '../features/suppression/index.ts'
import { readSession, signInSearchOf, takeWanted } from '../features/users/index.ts'
import { webhookSearchOf } from '../features/webhooks/index.ts'
import { rememberedWorkspace } from '../lib/remembered.ts'
import { oneOf, panelOf } from '../lib/search.ts'
import { NotFound } from './NotFound.tsx'
import { NoWorkspace } from './NoWorkspace.tsx'
import { PageFault } from './PageFault.tsx'
import { WorkspaceScope } from './WorkspaceScope.tsx'

// What a route does not want of the address it sets to undefined: left out it would stay.
const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
})

const setUp = createRoute({
  getParentRoute: () => root,
  path: 'set-up',
  component: lazyRouteComponent(() => import('../features/users/SetUpPage.tsx'), 'SetUpPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (search) => signInSearchOf(search),
  component: lazyRouteComponent(() => import('../features/users/SignInPage.tsx'), 'SignInPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: 'invitation',
  component: lazyRouteComponent(
    () => import('../features/users/InvitationPage.tsx'),
    'InvitationPage',
  ),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset',
  component: lazyRouteComponent(() => import('../features/users/ResetPage.tsx'), 'ResetPage'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { user, workspaces, is_set_up, ...rest } = await readSession()
    if (!is_set_up) throw redirect({ to: '/set-up', hash: true })
    if (!user) throw redirect({ to: '/sign-in', search: nextOf(location.href) })
    return { session: { ...rest, user, workspaces } }
  },
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
  // Outside of the shell, which needs to know who is signed in.
  errorComponent: (props) => (
    <main>
      <PageFault {...props} />
    </main>
  ),
})

const nextOf = (href: string) => (href === '/' ? {} : { next: href })

/** Where somebody wanted to go before they signed in, or the workspace that was looked at last. */
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    const { workspaces } = context.session
    const wanted = takeWanted(context.session)
    if (wanted) throw redirect({ href: wanted })
    const remembered = rememberedWorkspace()
    const workspace = workspaces.find(({ handle }) => handle === remembered) ?? workspaces[0]
    if (!workspace) return
    throw redirect({ to: '/w/$handle', params: { handle: workspace.handle } })
  },
  component: NoWorkspace,
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: 'account',
  component: lazyRouteComponent(() => import('../features/account/AccountPage.tsx'), 'AccountPage'),
})

/** Where a provider of mail sends people back to; the state names the workspace that they came from. */
const consent = createRoute({
  getParentRoute: () => signedIn,
  path: 'consent',
  beforeLoad: ({ context, location }) => {
    const state = new URLSearchParams(location.searchStr).get('state') ?? ''
    const { workspaces } = context.session
    const found = workspaces.find(({ id }) => state.startsWith(`${id}.`))
    if (!found) throw notFound()
    // Behind the #, so that what it gave them is in no log of ours.
    throw redirect({
      to: '/w/$handle/settings/mailboxes/consent',
      params: { handle: found.handle },
      hash: location.searchStr.slice(1),
      replace: true,
    })
  },
})

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: 'w/$handle',
  beforeLoad: ({ context, params }) => {
    const found = context.session.workspaces.find(({ handle }) => handle === params.handle)
    if (!found) throw notFound()
    return { workspace: found }
  },
  component: WorkspaceScope,
})

const workspaceHome = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/HomePage.tsx'), 'HomePage'),
})

const inbox = createRoute({
  getParentRoute: () => workspace,
  path: 'inbox',
  validateSearch: (search) => inboxSearchOf(search),
  component: lazyRouteComponent(() => import('../features/inbox/InboxPage.tsx'), 'InboxPage'),
})

const campaigns = createRoute({
  getParentRoute: () => workspace,
  path: 'campaigns',
  validateSearch: (search) => campaignsSearchOf(search),
  component: lazyRouteComponent(
    () => import('../features/campaigns/CampaignsPage.tsx'),
    'CampaignsPage',
  ),
})

const campaign = createRoute({
  getParentRoute: () => workspace,
  path: 'campaigns/$id',
  validateSearch: (search) => campaignSearchOf(search),
  component: lazyRouteComponent(
    () => import('../features/campaigns/CampaignPage.tsx'),
    'CampaignPage',
  ),
})

const leads = createRoute({
  getParentRoute: () => workspace,
  path: 'leads',
  validateSearch: (search) => leadsSearchOf(search),
  component: lazyRouteComponent(() => import('../features/leads/LeadsPage.tsx'), 'LeadsPage'),
})

const leadImport = createRoute({
  getParentRoute: () => workspace,
  path: 'leads/import',
  // The campaign that the leads are for, until the import knows it itself.
  validateSearch: ({ id, campaign }): { id?: string; campaign?: string } => ({
    id: typeof id === 'string' ? id : undefined,
    campaign: typeof campaign === 'string' ? campaign : undefined,
  }),
  component: lazyRouteComponent(() => import('../features/imports/ImportPage.tsx'), 'ImportPage'),
})

const mailboxes = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes',
  validateSearch: (search) => mailboxesSearchOf(search),
  component: lazyRouteComponent(
    () => import('../features/mailboxes/MailboxesPage.tsx'),
    'MailboxesPage',
  ),
})

const connectMailbox = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/connect',
  validateSearch: ({ address, mailbox }): { address?: string; mailbox?: string } => ({
    address: typeof address === 'string' ? address : undefined,
    mailbox: typeof mailbox === 'string' ? mailbox : undefined,
  }),
  component: lazyRouteComponent(
    () => import('../features/mailboxes/ConnectPage.tsx'),
    'ConnectPage',
  ),
})

const mailboxConsent = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/consent',
  component: lazyRouteComponent(
    () => import('../features/mailboxes/ConsentPage.tsx'),
    'ConsentPage',
  ),
})

const mailbox = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/mailboxes/$id',
  component: lazyRouteComponent(
    () => import('../features/mailboxes/MailboxPage.tsx'),
    'MailboxPage',
  ),
})

const labels = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/labels',
  // `new`, or the id of the label that is edited.
  validateSearch: ({ panel }): { panel?: string } => ({
    panel: typeof panel === 'string' ? panel : undefined,
  }),
  component: lazyRouteComponent(() => import('../features/labels/LabelsPage.tsx'), 'LabelsPage'),
})

const suppression = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/suppression',
  validateSearch: (search): SuppressionFilter & { panel?: 'add' | 'import' } => ({
    ...suppressionSearchOf(search),
    panel: oneOf(['add', 'import'], search.panel),
  }),
  component: lazyRouteComponent(
    () => import('../features/suppression/SuppressionPage.tsx'),
    'SuppressionPage',
  ),
})

const contacts = createRoute({
  getParentRoute: () => workspace,
  path: 'contacts',
  validateSearch: (search) => contactsSearchOf(search),
  component: lazyRouteComponent(
    () => import('../features/acquisition/ContactsPage.tsx'),
    'ContactsPage',
  ),
})

const keys = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/keys',
  validateSearch: panelOf('new'),
  component: lazyRouteComponent(() => import('../features/keys/KeysPage.tsx'), 'KeysPage'),
})

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/webhooks',
  validateSearch: panelOf('new'),
  component: lazyRouteComponent(
    () => import('../features/webhooks/WebhooksPage.tsx'),
    'WebhooksPage',
  ),
})

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/webhooks/$id',
  validateSearch: (search) => webhookSearchOf(search),
  component: lazyRouteComponent(
    () => import('../features/webhooks/WebhookPage.tsx'),
    'WebhookPage',
  ),
})

const members = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/members',
  validateSearch: panelOf('invite'),
  component: lazyRouteComponent(() => import('../features/members/MembersPage.tsx'), 'MembersPage'),
})

const workspaceSettings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/workspace',
  validateSearch: panelOf('plan'),
  component: lazyRouteComponent(
    () => import('../features/workspaces/WorkspacePage.tsx'),
    'WorkspacePage',
  ),
})

const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'settings/audit',
  validateSearch: (search) => auditSearchOf(search),
  component: lazyRouteComponent(() => import('../features/audit/AuditPage.tsx'), 'AuditPage'),
})

/** Within the shell, so that one can go on from there. */
const nowhere = createRoute({ getParentRoute: () => workspace, path: '$', component: NotFound })

/** Every page there is, each loaded when somebody goes there. */
export const router = createRouter({
  routeTree: root.addChildren([
    setUp,
    signIn,
    invitation,
    reset,
    signedIn.addChildren([
      home,
      account,
      consent,
      workspace.addChildren([
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
        nowhere,
      ]),
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
