import { isAtLeast, useWorkspace } from '../users/index.ts'

/** Whoever may not is shown no button for it. */
export const useMayManage = () => isAtLeast(useWorkspace().role, 'admin')
