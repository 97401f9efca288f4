import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { startRole } from './child.ts'
import { writeDirectory } from './directory-generator.ts'
import { measureImport } from './imports.ts'
import { measureReveals } from './reveals.ts'
import type { Figure } from './run.ts'
import { measureSearch } from './searches.ts'
import { type BenchService, openService } from './service.ts'

const size = { contacts: 2_000_000, companies: 200_000 }
const reveals = 30_000

/** Import, search and reveals on one made directory. */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-'))
  try {
    const path = join(folder, 'contacts.csv')
    await writeDirectory(path, size)
    await using service = await openService()
    const imported = await measureImport(service, path, size)
    await using api = await startRole('api', service)
    const searched = await measureSearch(service, api)
    const contacts = await findWithAddress(service)
    return [...imported, ...searched, ...(await measureReveals(service, api, contacts))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** From all over the directory. */
async function findWithAddress({ ctx }: BenchService): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from directory_contacts
    where email is not null and number % 50 = 7
    order by md5(id::text)
    limit ${reveals}::integer`.execute(ctx.db)
  return rows.map((row) => row.id)
}
