import type { Context } from '../../kernel/context.ts'
import { csvLine, withoutGuard } from '../../kernel/csv/write-csv.ts'
import { notFound } from '../../kernel/errors.ts'
import { reasonColumns } from './mapping.ts'
import * as queries from './queries.ts'
import type { SkippedRow } from './rows.ts'
import type { FileSkipReason } from './schema.ts'

/** A batch is up to 10 MB. */
const batchesMax = 1

const sentences: Record<FileSkipReason, string> = {
  invalid_email: 'There is no valid e-mail address in it or more than one.',
  duplicate_in_file: 'The address is in a row above already.',
  already_in_campaign: 'The address is in the campaign already.',
  in_workspace: 'The address is in another campaign.',
  in_blocklist: 'The address or its domain is blocked.',
  unsubscribed: 'The address is unsubscribed.',
  bounced: 'Mail to the address came back.',
  too_long: 'A value is too long.',
  wrong_encoding: 'A value is not written in the encoding of the file.',
  invalid_characters: 'A value has characters that no text has.',
  too_many_fields: 'The row has more fields than there are columns.',
  too_many_variables: 'The lead would have more than 100 variables.',
}

/**
 * Every row that made no lead, as it is in the file, and why: mended it can be imported as it is. Of the check
 * while nothing was imported yet. Of a row whose fields were not kept there is the address alone.
 */
export async function writeReport(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<AsyncGenerator<string>> {
  const found = await queries.findImport(ctx.db, workspaceId, id)
  if (!found) throw notFound('import')
  const isCheck = found.result === null
  const { preview, mapping } = found
  const headings = preview?.headings ?? ['email']
  const emailAt = preview ? mapping?.findIndex(({ target }) => target === 'email') : 0
  // What an earlier report said of the rows is said anew.
  const columns = [...headings.keys()].filter((at) => !reasonColumns.includes(headings[at] ?? ''))
  const line = ({ row, email, reason, column, fields }: SkippedRow) => {
    // Whose columns are not known any more tell nothing.
    const known = preview ? fields : undefined
    const values = known?.map(withoutGuard) ?? headings.map((_, at) => at === emailAt && email)
    // What stands to the right of the columns stays there.
    const more = reason === 'too_many_fields' ? values.slice(headings.length) : []
    const why = [row, reason, column, sentences[reason]]
    return csvLine([...columns.map((at) => values[at] || ''), ...why, ...more.map(String)])
  }
  async function* lines() {
    yield `\ufeff${csvLine([...columns.map((at) => headings[at]), ...reasonColumns])}`
    let after = -1
    for (;;) {
      const args = [workspaceId, id, isCheck, after, batchesMax] as const
      const batches = await queries.listSkipped(ctx.db, ...args)
      yield batches.flatMap(({ rows }) => rows.map(line)).join('')
      after = batches.at(-1)?.first_row ?? after
      if (batches.length < batchesMax) return
    }
  }
  return lines()
}
