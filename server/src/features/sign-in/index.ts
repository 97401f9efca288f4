export { checkPerson, sessionDoor } from './door.ts'
export { leastRole } from './roles.ts'
export { signInRoutes, signInSchemas } from './routes.ts'
export { setUpPath } from './set-up.ts'
