import { useParams } from '@tanstack/react-router'
import { useSignedIn } from '../../features/users/index.ts'
import { rememberedWorkspace } from '../../lib/remembered-workspace.ts'

/** That of the address; on pages of a person the one that was looked at last. */
export function useShownWorkspace() {
  const { workspaces } = useSignedIn()
  const { handle = rememberedWorkspace() } = useParams({ strict: false })
  return workspaces.find((workspace) => workspace.handle === handle) ?? workspaces[0]
}
