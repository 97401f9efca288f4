import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { startRole } from './child.ts'
import { measureFacets } from './facets.ts'
import type { EachPart, Figure } from './figure.ts'
import { measureImport } from './imports.ts'
import { measureReveals } from './reveals.ts'
import { measureSearch } from './searches.ts'
import { type BenchService, openService } from './service.ts'

const size = { contacts: 2_000_000, companies: 200_000 }
const reveals = 30_000

type Part = (service: BenchService) => Promise<Figure[]>

/** What is measured of the directory that was imported. */
export const parts: Record<string, Part> = {
  import: async () => [],
  search: async (service) => {
    await using api = await startRole('api', service)
    return await measureSearch(service, api)
  },
  facets: measureFacets,
  reveals: async (service) => {
    await using api = await startRole('api', service)
    return await measureReveals(service, api, await findWithAddress(service))
  },
}

/** Import, search and reveals on one made directory; each part needs the import. */
export async function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-'))
  try {
    await using service = await openService()
    const imported = await measureImport(service, folder, size)
    return [...imported, ...(await eachPart((part) => part(service)))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** From all over the directory. */
async function findWithAddress({ ctx }: BenchService): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from directory_contacts
    where email is not null
    order by md5(id::text)
    limit ${reveals}::integer`.execute(ctx.db)
  return rows.map((row) => row.id)
}
