export { type Erased, eraseLead } from './erase.ts'
export { erasureRoutes, erasureSchemas } from './routes.ts'
