export { createUnknownPage, pageRoutes } from './pages.ts'
