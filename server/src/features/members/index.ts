export {
  acceptAsNewUser,
  acceptAsUser,
  createInvitation,
  dropOldInvitations,
  getInvitation,
  hasAccount,
  signInFirst,
} from './invitations.ts'
export {
  addMember,
  findPlaceAndMembership,
  listWorkspacesHere,
  listWorkspacesOf,
  lockMembers,
} from './members.ts'
export type { PlaceAndMembership } from './queries.ts'
export { memberRoutes, memberSchemas } from './routes.ts'
