/** What a shard works for. */
export interface WorkspacesOn {
  shard: string
  workspaces: { id: string; name: string }[]
}
