import type { Context } from '../../../kernel/context.ts'
import { csvLine } from '../../../kernel/csv/write-csv.ts'
import { searchInTurn } from '../../../kernel/db/search-slots.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { nextTurn } from '../../../kernel/next-turn.ts'
import { textNames } from '../schema.ts'
import type { LeadFilter } from './filter.ts'
import * as queries from './list-queries.ts'

/** So few that leads as large as they may be, of 0.4 MB each, are no burden together. */
const batchMax = 100
/** Of a piece that is handed on. */
const pieceLengthMin = 64 * 1024
/** Of variables: each is in every line, and so much work at once. */
const columnsMax = 5000
const facts = [
  ...(['status', 'sending_state', 'stop_reason', 'current_step', 'email_open_count'] as const),
  ...(['email_click_count', 'email_reply_count', 'timestamp_last_contact'] as const),
  ...(['timestamp_last_open', 'timestamp_last_reply', 'timestamp_created'] as const),
]

/** An export that cannot be made is refused here, before anything of a file was sent. */
export async function beginExport(
  ...of: Parameters<typeof exportLeads>
): Promise<AsyncGenerator<string>> {
  const pieces = exportLeads(...of)
  const { value: headings = '' } = await pieces.next()
  return withFirst(headings, pieces)
}

async function* withFirst(first: string, others: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* others
}

/**
 * Leads as a file that can be imported again, newest first, piece by piece.
 *
 * @throws AppError `invalid_field` with the first piece: they have too many variables for a file
 */
export async function* exportLeads(
  ctx: Context,
  workspaceId: string,
  filter: LeadFilter,
  chosen: queries.ChosenLeads,
): AsyncGenerator<string> {
  const { ids, excluded } = chosen
  const variables = await searchInTurn(ctx, () =>
    queries.listVariableNames(ctx.db, workspaceId, filter, chosen, columnsMax + 1),
  )
  if (variables.length > columnsMax) throw tooManyVariables
  // Excel takes a file without the mark for one of Windows-1252.
  yield `\ufeff${csvLine(['email', ...textNames, 'campaign', ...facts, ...variables])}`
  const left = new Set(excluded)
  let place: string | undefined
  for (;;) {
    const after = place
    const leads = await searchInTurn(
      ctx,
      () => queries.listWhole(ctx.db, workspaceId, filter, after, batchMax, ids),
      { isBegun: true },
    )
    let piece = ''
    for (const lead of leads) {
      if (left.has(lead.id)) continue
      piece += csvLine([
        ...[lead.email, ...textNames.map((name) => lead[name]), lead.campaign_name],
        ...facts.map((name) => lead[name]),
        ...variables.map((name) =>
          Object.hasOwn(lead.custom_variables, name) ? lead.custom_variables[name] : null,
        ),
      ])
      if (piece.length < pieceLengthMin) continue
      yield piece
      piece = ''
      await nextTurn()
    }
    if (piece !== '') yield piece
    place = leads.at(-1)?.id
    if (leads.length < batchMax) return
  }
}

const tooManyVariables = invalidField(
  'ids',
  'The leads have more than 5,000 custom variables, and each is a column of the file: download them in parts, by campaign for instance.',
)
