export { createAuthenticator } from './authenticate.ts'
export { keyFamilyRoutes, keyFamilySchemas } from './family-routes.ts'
export { createKeyAsOperator, listKeys, revokeKey } from './keys.ts'
export { keyRoutes, keySchemas } from './routes.ts'
