import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signInSearchOf } from '../../features/users/index.ts'
import { root } from './root.tsx'

const setUp = createRoute({
  getParentRoute: () => root,
  path: 'set-up',
  component: lazyRouteComponent(() => import('../../features/users/SetUpPage.tsx'), 'SetUpPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (search) => signInSearchOf(search),
  component: lazyRouteComponent(() => import('../../features/users/SignInPage.tsx'), 'SignInPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: 'invitation',
  component: lazyRouteComponent(
    () => import('../../features/users/InvitationPage.tsx'),
    'InvitationPage',
  ),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset',
  component: lazyRouteComponent(() => import('../../features/users/ResetPage.tsx'), 'ResetPage'),
})

/** The pages that need nobody to be signed in. */
export const signedOutRoutes = [setUp, signIn, invitation, reset] as const
