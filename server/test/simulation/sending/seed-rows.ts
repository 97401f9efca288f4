/** Made once per database. */
export const workspaceId = '00000000-0000-7000-8000-000000000001'

export const seedRows = `
  insert into workspaces (id, name, handle, unsubscribe_by_reply, timestamp_created, timestamp_updated)
  values ('${workspaceId}', 'a', 'a', true, '2026-01-01', '2026-01-01');`
