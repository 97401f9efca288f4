import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router'
import { readSession, takeWanted } from '../../features/users/index.ts'
import { rememberedWorkspace } from '../../lib/remembered-workspace.ts'
import { panelOf } from '../../lib/search.ts'
import { NoWorkspace } from '../NoWorkspace.tsx'
import { PageFault } from '../PageFault.tsx'
import { root } from './root.tsx'

export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { user, workspaces, is_set_up, ...rest } = await readSession()
    if (!is_set_up) throw redirect({ to: '/set-up', hash: true })
    if (!user) throw redirect({ to: '/sign-in', search: nextOf(location.href) })
    return { session: { ...rest, user, workspaces } }
  },
  component: lazyRouteComponent(() => import('../shell/Shell.tsx'), 'Shell'),
  // Outside of the shell, which needs to know who is signed in.
  errorComponent: (props) => (
    <main>
      <PageFault {...props} />
    </main>
  ),
})

const nextOf = (href: string) => (href === '/' ? {} : { next: href })

/** Where somebody wanted to go before they signed in, or the workspace that was looked at last. */
export const home = createRoute({
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

export const account = createRoute({
  getParentRoute: () => signedIn,
  path: 'account',
  validateSearch: panelOf('second-factor'),
  component: lazyRouteComponent(
    () => import('../../features/account/AccountPage.tsx'),
    'AccountPage',
  ),
})

/** Where a provider of mail sends people back to; the state names the workspace that they came from. */
export const consent = createRoute({
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
