import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

/** Remembers which methods each path answers, for the `Allow` header of a 404. */
export function trackRoutes(app: FastifyInstance) {
  const routes: Route[] = []
  tables.set(app, routes)
  app.addHook('onRoute', ({ url, method }) => {
    const parts = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    const pattern = new RegExp(`^${parts.join('/')}/?$`)
    for (const name of [method].flat()) routes.push({ path: url, pattern, method: name })
  })
}

export function methodsOf(app: FastifyInstance, url: string): string[] {
  const path = url.split('?')[0] ?? ''
  const routes = tables.get(app) ?? []
  const matching = routes.filter((route) => route.pattern.test(path))
  // A path that has a name of its own is no id.
  const named = matching.filter((route) => !route.path.includes(':'))
  const known = named.length > 0 ? named : matching
  return [...new Set(known.map((route) => route.method))]
}

/** The 404 of a path that leads nowhere, or answers other methods. */
export function unknownPath(app: FastifyInstance, url: string): AppError {
  const methods = methodsOf(app, url).join(', ')
  if (methods !== '') {
    const message = `This path answers ${methods} only.`
    return new AppError('unknown_path', message, { headers: { allow: methods } })
  }
  const message = 'No such path; check the version and spelling against /openapi.json.'
  return new AppError('unknown_path', message)
}

/** Every route there is, internal ones too. */
export const routesOf = (app: FastifyInstance): Pick<Route, 'path' | 'method'>[] =>
  tables.get(app) ?? []

interface Route {
  path: string
  pattern: RegExp
  method: string
}

const tables = new WeakMap<FastifyInstance, Route[]>()
