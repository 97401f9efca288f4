import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { importFile } from './import/import.ts'
import { sampleColumns, sampleRows } from './made-up/rows.ts'
import * as queries from './queries.ts'
import { subtractTermCounts } from './remove.ts'

export interface Sample {
  contacts: number
  companies: number
}

/** Puts the made-up contacts into the directory, marked as such. Again, it changes nothing. */
export async function loadSample(ctx: ProcessContext): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-sample-'))
  try {
    const path = join(folder, 'sample.csv')
    const rows = [sampleColumns, ...sampleRows()]
    const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
    await writeFile(path, rows.map((row) => `${row.map(quoted).join(',')}\n`).join(''))
    const imported = await importFile(ctx, path, {
      map: new Map(),
      kind: 'contacts',
      encoding: 'utf-8',
      report: join(folder, 'report.csv'),
      isSample: true,
    })
    return { contacts: imported.contacts_created, companies: imported.companies_created }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Takes out what `loadSample` put in and no import has named since. What was acquired stays so. */
export async function removeSample(ctx: ProcessContext): Promise<Sample> {
  return await transaction(ctx, async (tx) => {
    await queries.lockDirectory(tx.db)
    const contacts = await subtractTermCounts(tx.db, await queries.deleteSampleContacts(tx.db))
    const companies = await queries.deleteSampleCompanies(tx.db)
    return { contacts: contacts.length, companies }
  })
}
