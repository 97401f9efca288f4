export { deleteTombstone, setEmptied, setHere, setMoved, setMoving } from './moving-queries.ts'
export { chooseShard, listShards, type ShownShard } from './placement.ts'
export {
  describeInSeveral,
  findInSeveral,
  hasOneInSeveral,
  inSeveral,
  requireNoneInSeveral,
  sayWhichStays,
  type WorkspacesOn,
} from './places.ts'
export { workspaceRoutes, workspaceSchemas } from './routes.ts'
export {
  createWorkspace,
  defaultWorkspaceName,
  ensureDefaultWorkspace,
  getWorkspace,
  listAllWorkspaces,
  listWorkspaceIdsHere,
  listWorkspaces,
  locateDefaultWorkspace,
  locateWorkspace,
  makeDefaultWorkspace,
  type PlanChanges,
  setPlan,
  setWorkspace,
} from './workspaces.ts'
