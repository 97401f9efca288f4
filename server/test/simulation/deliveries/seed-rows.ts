/** Made once per database. */
export interface Tenant {
  workspaceId: string
  letter: string
  campaigns: string[]
}

const id = (last: number) => `00000000-0000-7000-8000-0000000000${String(last).padStart(2, '0')}`

export const tenants: Tenant[] = [
  { workspaceId: id(1), letter: 'a', campaigns: [id(11), id(12)] },
  { workspaceId: id(2), letter: 'b', campaigns: [id(21)] },
]

const insertWorkspace = ({ workspaceId, letter }: Tenant) => `
  insert into workspaces (id, name, handle, timestamp_created, timestamp_updated)
  values ('${workspaceId}', '${letter}', '${letter}', '2026-01-01', '2026-01-01');`

const insertCampaign = ({ workspaceId }: Tenant, campaign: string) => `
  insert into campaigns (workspace_id, id, name, campaign_schedule, sequences, email_gap,
    random_wait_max, stop_on_reply, stop_on_auto_reply, stop_for_company, open_tracking,
    link_tracking, text_only, first_email_text_only, insert_unsubscribe_header,
    prioritize_new_leads, timestamp_created, timestamp_updated)
  values ('${workspaceId}', '${campaign}', 'campaign', '{}', '[]', 0, 0, false, false, false, false,
    false, false, false, false, false, '2026-01-01', '2026-01-01');`

/** A ledger keeps every delivery that was ever committed. */
const ledger = `
  create table simulation_ledger (workspace_id uuid, id uuid primary key, webhook_id uuid, event_id uuid);
  create function simulation_note() returns trigger language plpgsql as $$
    begin
      insert into simulation_ledger values (new.workspace_id, new.id, new.webhook_id, new.event_id);
      return null;
    end $$;
  create trigger simulation_note after insert on deliveries
    for each row execute function simulation_note();`

export const seedRows = [
  ledger,
  ...tenants.map(insertWorkspace),
  ...tenants.flatMap((tenant) =>
    tenant.campaigns.map((campaign) => insertCampaign(tenant, campaign)),
  ),
].join('\n')
