import type { ClientBase } from 'pg'

/** Names of the tables of a migrated database, by where they live once it is distributed. */
export interface Catalog {
  /** Primary key starts with `workspace_id`: distributed by it. Partitions included. */
  tenantTables: Set<string>
  /** Know nothing of workspaces: stay on the coordinator. */
  localTables: Set<string>
  /** Read before the workspace is known: copied to every node. */
  referenceTables: Set<string>
}

export type Store = 'tenant' | 'local' | 'reference' | 'system' | 'unknown'

/** Partitions are made while the tests run, so one is recognised by its parent's name and a date. */
export function storeOf(catalog: Catalog, table: string, schema?: string): Store {
  if (schema === 'pg_catalog' || schema === 'information_schema') return 'system'
  const name = parentOf(catalog, table)
  if (catalog.tenantTables.has(name)) return 'tenant'
  if (catalog.localTables.has(name)) return 'local'
  if (catalog.referenceTables.has(name)) return 'reference'
  return name.startsWith('pg_') ? 'system' : 'unknown'
}

/** The partitioned table that `table` is a part of, or `table` itself. */
export function parentOf(catalog: Catalog, table: string): string {
  const parent = table.replace(/_\d{8}$/, '')
  return catalog.tenantTables.has(parent) ? parent : table
}

export async function readCatalog(client: ClientBase): Promise<Catalog> {
  const { rows } = await client.query<{ name: string; store: 'tenant' | 'local' | 'reference' }>(
    storesOfTables,
  )
  const named = (store: Store) =>
    new Set(rows.filter((row) => row.store === store).map((row) => row.name))
  return {
    tenantTables: named('tenant'),
    localTables: named('local'),
    referenceTables: named('reference'),
  }
}

// A table that a tenant table points at, or that leads to a workspace, is needed on every node.
const storesOfTables = `
  with keyed as (
    select c.oid, c.relname::text as name,
      exists (
        select 1 from pg_index i
        join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisprimary and a.attname = 'workspace_id'
      ) as tenant
    from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
  )
  select k.name, case
    when k.tenant then 'tenant'
    when exists (
      select 1 from pg_constraint f join keyed t on t.oid = f.conrelid and t.tenant
      where f.contype = 'f' and f.confrelid = k.oid
    ) then 'reference'
    when exists (
      select 1 from pg_attribute a where a.attrelid = k.oid and a.attname = 'workspace_id'
    ) then 'reference'
    else 'local' end as store
  from keyed k
  order by k.name`
