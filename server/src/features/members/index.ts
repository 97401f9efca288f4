export {
  acceptAsNewUser,
  acceptAsUser,
  createInvitation,
  getInvitation,
  hasAccount,
  signInFirst,
} from './invitations.ts'
export { addMember, findMembership, listWorkspacesHere, listWorkspacesOf } from './members.ts'
export { memberRoutes, memberSchemas } from './routes.ts'
