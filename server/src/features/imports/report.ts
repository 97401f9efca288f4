import type { Context } from '../../kernel/context.ts'
import { csvLine } from '../../kernel/csv/write-csv.ts'
import { notFound } from '../../kernel/errors.ts'
import * as queries from './queries.ts'
import type { FileSkipReason, SkippedFileRow } from './schema.ts'

const batchesMax = 20

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

/** Every row that made no lead, and why; of the check while nothing was imported yet. */
export async function writeReport(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<AsyncGenerator<string>> {
  const found = await queries.findImport(ctx.db, workspaceId, id)
  if (!found) throw notFound('import')
  const isCheck = found.result === null
  async function* lines() {
    yield `\ufeff${csvLine(['row', 'email', 'reason', 'column', 'explanation'])}`
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

const line = ({ row, email, reason, column }: SkippedFileRow) =>
  csvLine([row, email, reason, column, sentences[reason]])
