export { receiveDelivery } from './receive.ts'
export { tryOutRoutes } from './routes.ts'
export { tryOutSchemas } from './schema.ts'
export { dropOldCalls, forgetCalls } from './try-outs.ts'
