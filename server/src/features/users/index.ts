export { passwordMax, passwordMin } from './auth.ts'
export { beginOidc, finishOidc } from './oidc.ts'
export { createToken, hashToken } from './one-time-token.ts'
export {
  createPasswordReset,
  type OneTimeLink,
  resetPassword,
  voidPasswordResets,
} from './password-reset.ts'
export {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  disableSecondFactor,
  listSessions,
  renameUser,
  renewBackupCodes,
  requirePassword,
  revokeOtherSessions,
  revokeSession,
} from './profile.ts'
export { countSecondFactors, resealSecondFactors } from './second-factor-keys.ts'
export {
  dropOldSessions,
  enterSecondFactor,
  findHalfSignIn,
  findSession,
  notSignedIn,
  refreshSession,
  type Session,
  signIn,
  signOut,
  takeBackSignIn,
} from './sessions.ts'
export {
  createUser,
  dropSecondFactor,
  findUserByEmail,
  foldEmail,
  getUserByEmail,
  hashPassword,
  hasProvider,
  isSetUp,
  listUsers,
  listUsersById,
  lockUsers,
  readEmail,
} from './users.ts'
