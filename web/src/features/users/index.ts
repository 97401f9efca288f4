export { NewPasswordInput, newPasswordProblem } from './NewPasswordInput.tsx'
export { RoleNeeded } from './RoleNeeded.tsx'
export { isAtLeast, type Role, roles } from './roles.ts'
export { SignInForm } from './SignInForm.tsx'
export { SignInWithProvider } from './SignInWithProvider.tsx'
export { signInSearchOf } from './search.ts'
export {
  readSession,
  refreshSession,
  useMay,
  useSessionChanges,
  useSignedIn,
  useWorkspace,
} from './session.ts'
export { takeWanted } from './wanted-page.ts'
