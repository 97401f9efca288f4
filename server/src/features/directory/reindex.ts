import type { ProcessContext } from '../../kernel/context.ts'
import { type Session, withSession } from '../../kernel/db/session.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { vectorOf } from '../../kernel/db/tsvector.ts'
import { nilId } from '../../kernel/ids.ts'
import { domainIn } from './identity.ts'
import { type CopyValue, copyText } from './import/copy-text.ts'
import * as importing from './import/queries.ts'
import { lockDirectory } from './queries.ts'
import { companyTerms, contactTerms } from './terms.ts'
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
  ctx: ProcessContext,
  onProgress: (done: number) => void = () => undefined,
): Promise<Reindexed> {
  return withSession(ctx.db, async ({ db, copyFrom }) => {
    const own = { ...ctx, db }
    await importing.createStagingTables(db)
    const { id } = await importing.openImport(db, ctx.newId(), importing.reindexing, {}, ctx.now())
    const companies = await rewrite(own, copyFrom, onProgress, {
      list: importing.listCompaniesAfter,
      row: (company) =>
        importing.companyRow({ ...company, terms: vectorOf(companyTerms(company)) }),
      copy: importing.copyChangedCompanies,
      update: importing.updateCompanies,
    })
    const contacts = await rewrite(own, copyFrom, (done) => onProgress(companies + done), {
      list: importing.listContactsAfter,
      row: (contact) => {
        const domain = contact.company && domainIn(contact.company)
        const terms = vectorOf(contactTerms(contact, domain))
        return importing.contactRow({ ...contact, terms, employees: null })
      },
      copy: importing.copyChangedContacts,
      update: importing.updateContacts,
    })
    await transaction(own, async (tx) => {
      await lockDirectory(tx.db)
      await recountTerms(tx.db)
      await importing.finishImport(tx.db, id, ctx.now())
    })
    await importing.analyzeDirectory(db)
    return { companies, contacts }
  })
}

interface Rewriting<Row> {
  list: (db: ProcessContext['db'], after: string, most: number) => Promise<Row[]>
  row: (row: Row) => CopyValue[]
  copy: string
  update: (db: ProcessContext['db']) => Promise<void>
}

/** Writes all rows again with their terms, some thousands in each transaction. */
async function rewrite<Row extends { id: string }>(
  ctx: ProcessContext,
  copyFrom: Session['copyFrom'],
  onProgress: (done: number) => void,
  { list, row, copy, update }: Rewriting<Row>,
): Promise<number> {
  let done = 0
  for (let after: string | undefined = nilId; after !== undefined; onProgress(done)) {
    const from: string = after
    after = await transaction(ctx, async (tx) => {
      await lockDirectory(tx.db)
      const rows = await list(tx.db, from, rowsAtOnce)
      await copyFrom(copy, copyText(rows.map(row)))
      await update(tx.db)
      done += rows.length
      return rows.at(-1)?.id
    })
  }
  return done
}

const rowsAtOnce = 20_000
