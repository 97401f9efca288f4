export {
  type LinkedMail,
  LinkMaker,
  type TrackingLinks,
  tokenBoxOf,
  type WebLinks,
  webLinks,
} from './links.ts'
export { withoutOwnLinks } from './own-links.ts'
export { countWaiting } from './queries.ts'
export { trackingRoutes } from './routes.ts'
export { unsubscribe } from './unsubscribe.ts'
export { readUnsubscribeToken } from './unsubscribe-token.ts'
export { unsubscribeKept, unsubscribeWaiting } from './waiting.ts'
