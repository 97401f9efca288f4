export { dropOldErasures, type Erased, eraseLead, erasureKind } from './erase.ts'
export { erasureRoutes, erasureSchemas } from './routes.ts'
export { runErasures } from './run.ts'
