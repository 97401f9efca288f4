import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connect } from '../../src/kernel/db/db.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { createPartitions } from '../../src/kernel/db/partitions.ts'
import { Backends } from './backends.ts'
import type { Tenant } from './workload.ts'

/** A database of its own in which one simulation after the other runs. */
export interface Laboratory extends AsyncDisposable {
  admin: pg.Client
  backends: Backends
  tenants: Tenant[]
  /** As if nothing had ever happened in it. */
  clear: () => Promise<void>
}

export async function openLaboratory(serverUrl: string): Promise<Laboratory> {
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  const name = `simulation_${randomBytes(6).toString('hex')}`
  await server.query(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await migrate(url.href)
  await createTables(url.href)

  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query('set synchronous_commit = off')
  await admin.query(furnishing)
  for (const { workspaceId, letter, campaigns } of tenants) {
    await admin.query(insertWorkspace, [workspaceId, letter])
    for (const campaign of campaigns) await admin.query(insertCampaign, [workspaceId, campaign])
  }
  const backends = new Backends(url.href, admin)
  let cleared = 0
  return {
    ...{ admin, backends, tenants },
    async clear() {
      // Emptying a partitioned table takes longer than filling it: rarely is enough.
      await admin.query(cleared++ % 40 === 0 ? clearAll : clearSome)
    },
    async [Symbol.asyncDispose]() {
      await backends.close()
      await admin.end()
      await server.query(`drop database ${name} with (force)`)
      await server.end()
    },
  }
}

/** For every week that a simulated clock may reach. */
async function createTables(url: string) {
  const { db } = connect(url, 1)
  const start = new Date(Date.UTC(2026, 0, 12))
  for (const name of ['events', 'webhook_events']) {
    await createPartitions(db, { name, by: 'week' }, start, 3)
  }
  await db.destroy()
}

const id = (last: number) => `00000000-0000-7000-8000-0000000000${String(last).padStart(2, '0')}`
const tenants: Tenant[] = [
  { workspaceId: id(1), letter: 'a', campaigns: [id(11), id(12)] },
  { workspaceId: id(2), letter: 'b', campaigns: [id(21)] },
]

/**
 * The clock that leases go by is the simulated one; a ledger keeps every delivery that was ever
 * committed; nothing but the simulation writes, reads or measures.
 */
const furnishing = `
  create or replace function outrider_now() returns timestamptz
    language sql stable as $$ select current_setting('outrider.now')::timestamptz $$;
  create table simulation_ledger (workspace_id uuid, id uuid primary key, webhook_id uuid, event_id uuid);
  create function simulation_note() returns trigger language plpgsql as $$
    begin
      insert into simulation_ledger values (new.workspace_id, new.id, new.webhook_id, new.event_id);
      return null;
    end $$;
  create trigger simulation_note after insert on deliveries
    for each row execute function simulation_note();
  do $$ declare name text; begin
    for name in select oid::regclass::text from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
    loop execute format('alter table %s set (autovacuum_enabled = off)', name); end loop;
  end $$;`

const insertWorkspace = `
  insert into workspaces (id, name, timestamp_created, timestamp_updated)
  values ($1, $2, '2026-01-01', '2026-01-01')`
const insertCampaign = `
  insert into campaigns (workspace_id, id, name, campaign_schedule, sequences, email_gap,
    random_wait_max, stop_on_reply, stop_on_auto_reply, stop_for_company, open_tracking,
    link_tracking, text_only, first_email_text_only, insert_unsubscribe_header,
    prioritize_new_leads, timestamp_created, timestamp_updated)
  values ($1, $2, 'campaign', '{}', '[]', 0, 0, false, false, false, false, false, false, false,
    false, false, '2026-01-01', '2026-01-01')`

const small =
  'deliveries, fanouts, webhooks, webhook_urls, webhook_lanes, webhook_event_counts, runners, simulation_ledger, audit_log'
const reset = `
  update bucket_leases set token = 0, runner_id = null, leased_until = null;
  update workspaces set plan_webhooks = true;`
const clearAll = `truncate ${small}, events, webhook_events, bucket_leases;
  insert into bucket_leases (kind, bucket) select 'deliveries', b from generate_series(0, 255) b;
  ${reset}`
const clearSome = `truncate ${small}; delete from events; delete from webhook_events; ${reset}`
