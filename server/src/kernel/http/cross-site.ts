import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/**
 * Refuses what a page of another site makes a browser send along with its cookies. Browsers tell by
 * Sec-Fetch-Site, over plain HTTP only by Origin; what is no browser sends neither.
 */
export function refuseCrossSite({ method, headers }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site === 'same-origin' || site === 'none') return
  if (site === undefined && (origin === undefined || URL.parse(origin)?.host === host)) return
  throw new AppError('cross_site', 'This comes from another site; use the application itself.')
}
