export { addMember, findMembership, listWorkspacesOf } from './members.ts'
