export { createTrackingLinks, type LinkedMail, type TrackingLinks, tokenBoxOf } from './links.ts'
export { trackingRoutes } from './routes.ts'
