export {
  createWorkspace,
  defaultWorkspaceName,
  ensureDefaultWorkspace,
  getWorkspace,
  listWorkspaces,
  type PlanChanges,
  setPlan,
} from './workspaces.ts'
