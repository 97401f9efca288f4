export type { ListenForChanges } from './hub.ts'
export { liveRoutes } from './routes.ts'
export { liveChannel, tellPages } from './tell-pages.ts'
export { type Topic, topicsOfEvent, topicsOfSubject } from './topics.ts'
