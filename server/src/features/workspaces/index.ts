export { workspaceRoutes, workspaceSchemas } from './routes.ts'
export {
  createWorkspace,
  defaultWorkspaceName,
  ensureDefaultWorkspace,
  getWorkspace,
  listWorkspaces,
  type PlanChanges,
  setPlan,
  setWorkspace,
} from './workspaces.ts'
