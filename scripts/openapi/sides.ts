import { leastRole } from '../../server/src/features/sign-in/index.ts'
import { applicationStatusOf, statusOf } from '../../server/src/kernel/errors.ts'
import type { ApiSide } from './collect.ts'
import { chosenWorkspaceParameter, workspaceParameter } from './headers.ts'
import { completeForPeople, completeOperation } from './operations.ts'

const isOfApplication = (url: string) => url.startsWith('/app/')

/** What integrations use, by key. */
export const publicSide = (apiUrl: string): ApiSide => ({
  decorator: 'swagger',
  has: (url, { access }) => access !== undefined && !isOfApplication(url),
  securitySchemes: {
    serviceAccountKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'ork_…',
      description: 'A service-account key: `Authorization: Bearer ork_…`.',
    },
  },
  codes: statusOf,
  workspaceParameter,
  apiUrl,
  complete(method, operation, { access }, schemas) {
    if (!access) throw new Error(`The operation ${operation.operationId} declares no access.`)
    completeOperation(method, operation, access, schemas)
  },
})

/** What the browser application uses, by session. */
export const applicationSide: ApiSide = {
  decorator: 'applicationSwagger',
  has: isOfApplication,
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'outrider.session_token',
      description: 'The cookie of a session; what changes something must come from the same site.',
    },
  },
  codes: { ...statusOf, ...applicationStatusOf },
  workspaceParameter: chosenWorkspaceParameter,
  complete(method, operation, { access, person }, schemas) {
    const role = access ? leastRole(access) : person
    completeForPeople(method, operation, { access, role }, schemas)
  },
}
