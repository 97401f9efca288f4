import type { Context } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import { laterThan } from '../../kernel/db/later-than.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { dayMs } from '../../kernel/durations.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { hintJob } from '../../kernel/runner/job.ts'
import { type ChangedBy, type ChangedByCaller, recordAudit } from '../audit/index.ts'
import { getCampaign } from '../campaigns/index.ts'
import { existsCampaign } from '../campaigns/lookup/index.ts'
import { tellPages } from '../live/index.ts'
import { type ReadFormat, readFormat } from './format.ts'
import { checkMapping, guessMapping, hasEmail } from './mapping.ts'
import * as queries from './queries.ts'
import { type Import, type ImportChange, type ImportInput, partBytes } from './schema.ts'

/** Of hints that an import is to be worked on. */
export const importKind = 'imports'

/** Files that are not through yet take room. */
const openMax = 20

export async function createImport(
  ctx: Context,
  workspaceId: string,
  { file_name, file_bytes, campaign_id }: ImportInput,
  by: ChangedByCaller,
): Promise<Import> {
  if (campaign_id !== undefined) await getCampaign(ctx, workspaceId, campaign_id)
  return transaction(ctx, async (tx) => {
    if ((await queries.countOpen(tx.db, workspaceId)) >= openMax) {
      throw new AppError(
        'not_ready',
        `There are ${openMax} imports that are not finished; finish or cancel one of them first.`,
      )
    }
    const now = tx.now()
    const row = await queries.insertImport(tx.db, {
      ...{ workspace_id: workspaceId, id: tx.newId(), user_id: by.actor.id },
      ...{ campaign_id: campaign_id ?? null },
      ...{ file_name, file_bytes, parts_total: Math.ceil(file_bytes / partBytes) },
      ...{ timestamp_created: now, timestamp_updated: now },
    })
    tellPages(tx, workspaceId, ['imports'])
    return shown(row, new Set())
  })
}

/**
 * Keeps a part of the file, once, whoever sends it how often. The first one tells what the file is, and
 * a file that is none with columns ends the import with what to do: no other part is of use.
 */
export async function putPart(
  ctx: Context,
  workspaceId: string,
  id: string,
  { number, content }: { number: number; content: Buffer },
  by: ChangedBy,
): Promise<Import> {
  const before = await queries.findImport(ctx.db, workspaceId, id)
  if (!before) throw notFound('import')
  // A page goes on sending when another person signs in to its browser.
  if (before.user_id !== by.actor.id) throw isOfAnother()
  const { parts_total, file_bytes } = before
  if (number < 1 || number > parts_total) throw notFound('part')
  const expected =
    number < parts_total ? partBytes : Number(file_bytes) - (parts_total - 1) * partBytes
  if (content.length !== expected) {
    throw invalidField('/', `part ${number} has ${expected} bytes; choose the same file again`)
  }
  const read = number === 1 ? await readFormat(content).catch(keepRefusal) : undefined
  return transaction(ctx, async (tx) => {
    const row = await lock(tx, workspaceId, id)
    const digest = await queries.findPartDigest(tx.db, workspaceId, id, number)
    if (digest) {
      // Two tabs may send one file, but never two files to one import.
      if (!digest.equals(sha256(content))) throw otherFile(number)
      return shown(row, await queries.listPartNumbers(tx.db, workspaceId, id))
    }
    if (row.state !== 'uploading') throw notOpen(row)
    if (read instanceof AppError) return end(tx, row, 'failed', read.message)
    await queries.insertPart(tx.db, workspaceId, id, number, content)
    if (read) takeFormat(row, read)
    const parts = await queries.listPartNumbers(tx.db, workspaceId, id)
    if (parts.size === row.parts_total) row.state = 'ready'
    return save(tx, row, parts)
  })
}

const isOfAnother = () =>
  new AppError(
    'not_eligible',
    'Somebody else has begun this import: only they can send its file. Cancel it, or begin one of your own.',
  )

function takeFormat(row: queries.StoredImport, { format, preview }: ReadFormat) {
  row.format = format
  row.preview = preview
  row.mapping = guessMapping(preview)
}

function keepRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

/** What becomes of the columns, and where the leads go. A check that was made before holds no more. */
export async function changeImport(
  ctx: Context,
  workspaceId: string,
  id: string,
  change: ImportChange,
): Promise<Import> {
  if (change.campaign_id) await getCampaign(ctx, workspaceId, change.campaign_id)
  return transaction(ctx, async (tx) => {
    const row = await lock(tx, workspaceId, id)
    if (!['uploading', 'ready', 'checked'].includes(row.state)) throw notOpen(row)
    if (change.campaign_id) row.campaign_id = change.campaign_id
    if (change.duplicates) row.duplicates = change.duplicates
    if (change.encoding !== undefined) {
      const first = await queries.findPart(tx.db, workspaceId, id, 1)
      if (!first) throw notUploaded()
      takeFormat(row, await readFormat(first, change.encoding))
    }
    if (change.mapping) {
      checkMapping(change.mapping, row.preview?.headings.length ?? 0)
      row.mapping = change.mapping
    }
    if (row.state === 'checked') row.state = 'ready'
    row.checked = null
    await queries.deleteSkipped(tx.db, workspaceId, id, true)
    return save(tx, row)
  })
}

/** Looks at every row and tells what would become of it; nothing is added. */
export const checkImport = (ctx: Context, workspaceId: string, id: string): Promise<Import> =>
  transaction(ctx, async (tx) => {
    const row = await ready(tx, workspaceId, id)
    await queries.deleteSkipped(tx.db, workspaceId, id, true)
    return begin(tx, row, 'checking')
  })

/** As it was seen: a colleague may have other columns in mind for the same file. */
export const startImport = (
  ctx: Context,
  workspaceId: string,
  id: string,
  { seen, by }: { seen: Date; by: ChangedBy },
): Promise<Import> =>
  transaction(ctx, async (tx) => {
    const row = await ready(tx, workspaceId, id)
    if (seen.getTime() !== row.timestamp_updated.getTime()) throw changedMeanwhile()
    if (row.checked?.problem) throw new AppError('not_ready', row.checked.problem)
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, action: 'import.started', subjectType: 'import', subjectId: id },
      details: { campaign_id: row.campaign_id, duplicates: row.duplicates },
    })
    return begin(tx, row, 'running')
  })

/** Rows that were added stay; the file goes. */
export const cancelImport = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Import> =>
  transaction(ctx, async (tx) => {
    const row = await lock(tx, workspaceId, id)
    if (isOver(row)) return shown(row, new Set())
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, action: 'import.cancelled', subjectType: 'import', subjectId: id },
    })
    return end(tx, row, 'cancelled')
  })

export async function getImport(ctx: Context, workspaceId: string, id: string): Promise<Import> {
  const row = await queries.findImport(ctx.db, workspaceId, id)
  if (!row) throw notFound('import')
  return shown(row, await queries.listPartNumbers(ctx.db, workspaceId, id))
}

export async function listImports(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Import>> {
  const rows = await queries.listImports(ctx.db, workspaceId, page)
  // Which parts are missing is asked for one, not for a list.
  return toPage(
    rows.map((row) => ({ ...shown(row, new Set()), preview: null, parts_missing: [] })),
    page.limit,
  )
}

/** The file is of no use any more, nor are its first rows, which name people; the report has its columns. */
export async function end(
  tx: Context,
  row: queries.StoredImport,
  state: 'finished' | 'cancelled' | 'failed',
  error: string | null = null,
): Promise<Import> {
  await queries.deleteParts(tx.db, row.workspace_id, row.id)
  // Once there is a result nobody asks what its check had found.
  if (row.result) await queries.deleteSkipped(tx.db, row.workspace_id, row.id, true)
  row.state = state
  row.error = error
  row.preview = row.preview && { headings: row.preview.headings, rows: [] }
  row.claim = null
  return save(tx, row, new Set())
}

async function begin(
  tx: Context,
  row: queries.StoredImport,
  state: 'checking' | 'running',
): Promise<Import> {
  row.state = state
  row[countedIn(row)] = null
  row.row_done = 0
  row.bytes_done = 0
  row.error = null
  row.claim = null
  row.timestamp_claimed = null
  row.timestamp_started = tx.now()
  hintJob(tx, importKind, row.id)
  return save(tx, row)
}

async function lock(tx: Context, workspaceId: string, id: string) {
  const row = await queries.lockImport(tx.db, workspaceId, id)
  if (!row) throw notFound('import')
  return row
}

async function ready(tx: Context, workspaceId: string, id: string) {
  const row = await lock(tx, workspaceId, id)
  if (row.state === 'uploading') throw notUploaded()
  if (row.state !== 'ready' && row.state !== 'checked') throw notOpen(row)
  // One that was deleted meanwhile would end the import, and the file would be gone.
  const { campaign_id } = row
  if (campaign_id === null || !(await existsCampaign(tx.db, workspaceId, campaign_id))) {
    throw new AppError('not_ready', 'Choose the campaign that the leads go to.', {
      details: [{ path: '/campaign_id', message: 'choose a campaign' }],
    })
  }
  if (!hasEmail(row.mapping)) {
    throw new AppError('not_ready', 'Say which column holds the e-mail address.', {
      details: [{ path: '/mapping', message: 'one column must be the address' }],
    })
  }
  return row
}

/** What the rows come to is counted apart, so that a check is there to compare with. */
export const countedIn = ({ state }: Pick<queries.StoredImport, 'state'>) =>
  state === 'checking' ? 'checked' : 'result'

export async function update(tx: Context, row: queries.StoredImport): Promise<void> {
  row.timestamp_updated = laterThan(row.timestamp_updated, tx.now())
  await queries.updateImport(tx.db, row)
  tellPages(tx, row.workspace_id, ['imports'])
}

async function save(tx: Context, row: queries.StoredImport, parts?: Set<number>): Promise<Import> {
  await update(tx, row)
  return shown(row, parts ?? (await queries.listPartNumbers(tx.db, row.workspace_id, row.id)))
}

const isOver = ({ state }: Pick<queries.StoredImport, 'state'>) =>
  state === 'finished' || state === 'cancelled' || state === 'failed'

const notOpen = ({ error }: Pick<queries.StoredImport, 'error'>) =>
  new AppError(
    'not_ready',
    error ?? 'The import is under way or over; import the file again to change it.',
  )

const changedMeanwhile = () =>
  new AppError(
    'version_conflict',
    'Somebody else changed this import meanwhile, and nothing was imported. Look at it again, then start it.',
  )

const otherFile = (number: number) =>
  invalidField(
    '/',
    `part ${number} was sent before and is another one: choose the same file again, or cancel this import and begin anew`,
  )

const notUploaded = () =>
  new AppError('not_ready', 'The file is not here as a whole yet; wait until all of it is sent.')

function shown(row: queries.StoredImport, parts: Set<number>): Import {
  const numbers = Array.from({ length: row.parts_total }, (_, at) => at + 1)
  return {
    ...{ id: row.id, user_id: row.user_id, campaign_id: row.campaign_id },
    ...{ file_name: row.file_name, file_bytes: Number(row.file_bytes), part_bytes: partBytes },
    parts_total: row.parts_total,
    parts_missing: row.state === 'uploading' ? numbers.filter((each) => !parts.has(each)) : [],
    ...{ state: row.state, encoding: row.format?.encoding ?? null },
    preview: isOver(row) ? null : row.preview,
    ...{ mapping: row.mapping, duplicates: row.duplicates, row_done: row.row_done },
    ...{ bytes_done: Number(row.bytes_done), checked: row.checked, result: row.result },
    ...{ error: row.error, timestamp_started: row.timestamp_started },
    ...{ timestamp_created: row.timestamp_created, timestamp_updated: row.timestamp_updated },
  }
}

const abandonedMs = dayMs
const keptMs = 90 * dayMs

/** Files that nobody went on with for a day, and imports of long ago. */
export async function dropOldImports(ctx: Context, workspaceId: string): Promise<void> {
  const now = ctx.now().getTime()
  const before = new Date(now - abandonedMs)
  for (const id of await queries.listAbandoned(ctx.db, workspaceId, before)) {
    await transaction(ctx, async (tx) => {
      const row = await queries.lockAbandoned(tx.db, workspaceId, id, before)
      if (!row) return
      await end(tx, row, 'cancelled', 'Nobody went on with it for a day, so the file is gone.')
    })
  }
  await queries.deleteOldImports(ctx.db, workspaceId, new Date(now - keptMs))
}
