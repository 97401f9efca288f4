export { createTrackingLinks, type LinkedMail, type TrackingLinks } from './links.ts'
