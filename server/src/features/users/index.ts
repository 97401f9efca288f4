export { passwordMax, passwordMin } from './auth.ts'
export {
  enterSecondFactor,
  findSession,
  refreshSession,
  type Session,
  signIn,
  signOut,
} from './sessions.ts'
export {
  createUser,
  hashPassword,
  isSetUp,
  lockUsers,
  readEmail,
} from './users.ts'
