import { createRouter } from '@tanstack/react-router'
import { NotFound } from './NotFound.tsx'
import { PageFault } from './PageFault.tsx'
import { root } from './routes/root.tsx'
import { account, consent, home, signedIn } from './routes/signed-in.tsx'
import { signedOutRoutes } from './routes/signed-out.ts'
import { workspaceRoutes } from './routes/workspace.ts'

/** Every page there is, each loaded when somebody goes there. */
export const router = createRouter({
  routeTree: root.addChildren([
    ...signedOutRoutes,
    signedIn.addChildren([home, account, consent, workspaceRoutes]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface HistoryState {
    /** A mailbox was given another login, which is tested as it is opened: no address asks for that. */
    isNewLogin?: boolean
  }
}
