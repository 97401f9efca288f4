import type { Context } from '../../kernel/context.ts'
import { type Session, withSession } from '../../kernel/db/session.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { domainIn } from './identity.ts'
import { CopyRows } from './import/copy-text.ts'
import * as importing from './import/queries.ts'
import { companyRow, contactRow } from './import/stage.ts'
import { lockDirectory } from './queries.ts'
import * as queries from './reindex-queries.ts'
import { companyTerms, contactTerms, rememberTerms } from './terms.ts'
import { recountTerms } from './vocabulary-queries.ts'

interface Reindexed {
  companies: number
  contacts: number
}

/**
 * Makes the terms of all companies and contacts anew, and counts them: after the migration to terms,
 * and when texts are folded otherwise than before. After a kill it begins again, which does no harm.
 *
 * @param onProgress told how many companies and contacts are done so far
 */
export function reindexDirectory(
  ctx: Context,
  onProgress: (done: number) => void = () => undefined,
): Promise<Reindexed> {
  return withSession(ctx.db, async ({ db, copyFrom }) => {
    const own = { ...ctx, db }
    const read = rememberTerms()
    await importing.createStagingTables(db)
    await queries.beginReindex(db, ctx.newId(), ctx.now())
    const companies = await rewrite(own, copyFrom, onProgress, {
      list: importing.listCompaniesAfter,
      row: (company) => companyRow(company, company, companyTerms(company, read)),
      copy: importing.copyCompanies,
      upsert: importing.upsertCompanies,
    })
    const contacts = await rewrite(own, copyFrom, (done) => onProgress(companies + done), {
      list: importing.listContactsAfter,
      row: (contact) => {
        const domain = contact.company && domainIn(contact.company)
        return contactRow(contact, contact, contactTerms(contact, domain, read))
      },
      copy: importing.copyContacts,
      upsert: importing.upsertContacts,
    })
    await transaction(own, async (tx) => {
      await lockDirectory(tx.db)
      await recountTerms(tx.db)
      await queries.endReindex(tx.db, ctx.now())
    })
    await importing.settleDirectory(db)
    return { companies, contacts }
  })
}

interface Rewriting<Row> {
  list: (db: Context['db'], after: string, most: number) => Promise<Row[]>
  row: (row: Row) => Parameters<CopyRows['add']>[0]
  copy: string
  upsert: (db: Context['db']) => Promise<void>
}

/** Writes all rows again with their terms, some thousands in each transaction. */
async function rewrite<Row extends { id: string }>(
  ctx: Context,
  copyFrom: Session['copyFrom'],
  onProgress: (done: number) => void,
  { list, row, copy, upsert }: Rewriting<Row>,
): Promise<number> {
  let done = 0
  for (let after: string | undefined = leastId; after !== undefined; onProgress(done)) {
    const from: string = after
    after = await transaction(ctx, async (tx) => {
      await lockDirectory(tx.db)
      const rows = await list(tx.db, from, rowsAtOnce)
      const staged = new CopyRows()
      for (const each of rows) staged.add(row(each))
      await copyFrom(copy, staged.chunks())
      await upsert(tx.db)
      done += rows.length
      return rows.at(-1)?.id
    })
  }
  return done
}

const leastId = '00000000-0000-0000-0000-000000000000'
const rowsAtOnce = 20_000
