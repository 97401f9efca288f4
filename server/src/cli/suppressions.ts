import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import {
  type ImportedSuppressions,
  importSuppressions,
} from '../features/import-suppressions/index.ts'
import {
  addSuppression,
  countSuppressions,
  exportSuppressions,
  listSuppressions,
  removeSuppression,
  type SuppressionReason,
  shownEntry,
  showSuppression,
  suppressionReasons,
} from '../features/suppression/index.ts'
import { type UndoneSuppression, undoSuppression } from '../features/undo-suppression/index.ts'
import { readLines } from '../kernel/csv/read-lines.ts'
import { counted } from '../kernel/text.ts'
import { writeWholeFile } from '../kernel/whole-file.ts'
import { parseCount, parseTime } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { oneOf } from './options.ts'
import { formatRecord, formatTable, tell } from './terminal.ts'

export function suppressionCommands(program: Command) {
  const suppressions = program
    .command('suppressions')
    .description('Addresses and domains that nobody in a workspace writes to')

  withWorkspace(suppressions.command('import'))
    .description('Add the addresses and domains of a file')
    .argument(
      '<file>',
      'one to a line, or CSV with them in the first field; - reads standard input',
    )
    .addOption(
      oneOf('--reason <reason>', 'of lines that give none', suppressionReasons).default('blocked'),
    )
    .action((file: string, options: WorkspaceOptions & { reason: SuppressionReason }) =>
      operateIn(
        options,
        (ctx, workspaceId) =>
          importSuppressions(ctx, workspaceId, linesOf(file), options.reason, operator),
        showImported,
      ),
    )

  withWorkspace(suppressions.command('export'))
    .description('Write the whole list to a file, as import reads it')
    .argument('<file>', 'CSV; - writes to standard output')
    .action((file: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => {
          const written = await writeLines(file, exportSuppressions(ctx, workspaceId))
          return file === '-' ? undefined : { entries: written - 1 }
        },
        (result) => `${counted(result?.entries ?? 0, 'entry is', 'entries are')} written.`,
      ),
    )

  withWorkspace(suppressions.command('add'))
    .description('Block an address or a domain')
    .argument('<value>', 'ann@example.com, or example.com for everybody there')
    .action((value: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => addSuppression(ctx, workspaceId, value, operator),
        (entry) => `${shownEntry(entry.value)} is suppressed (${entry.reason}).`,
      ),
    )

  withWorkspace(suppressions.command('remove'))
    .description('Lift a block; leads that it stopped stay stopped (undo brings them back)')
    .argument('<value>', 'the address or domain')
    .option('--force', 'also an unsubscribe or a hard bounce')
    .action((value: string, options: WorkspaceOptions & { force?: boolean }) => {
      const force = options.force ?? false
      return operateIn(
        options,
        async (ctx, workspaceId) => {
          const entry = await removeSuppression(ctx, workspaceId, value, { force }, operator)
          if (entry.reason !== 'blocked') tell(warning)
          return entry
        },
        (entry) =>
          entry.still_suppressed_by
            ? `${shownEntry(entry.value)} was ${entry.reason}; that is lifted. ${stillBecause[entry.still_suppressed_by]} (${entry.still_suppressed}).`
            : `${shownEntry(entry.value)} may be written to again (it was ${entry.reason}).`,
      )
    })

  withWorkspace(suppressions.command('undo'))
    .description('Take back a suppression that was wrong: its leads go on where they were')
    .argument('<address>', 'the address, or a domain for everybody there')
    .option('--unsubscribed', 'also an unsubscribe: only with a consent that you can prove')
    .option('--since <time>', 'the one that show told of: one that came since stays', parseTime)
    .addHelpText('after', undoNotes)
    .action((address: string, options: WorkspaceOptions & UndoOptions) => {
      const { unsubscribed = false, since } = options
      return operateIn(
        options,
        (ctx, workspaceId) =>
          undoSuppression(ctx, workspaceId, address, { unsubscribed, since }, operator),
        showUndone,
      )
    })

  withWorkspace(suppressions.command('show'))
    .description(
      'Tell whether an address or a domain is suppressed, by which entry, and since when',
    )
    .argument('<value>', 'the address or domain')
    .action((value: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => showSuppression(ctx, workspaceId, value),
        (shown) => formatRecord({ ...shown, value: shownEntry(shown.value) }),
      ),
    )

  withWorkspace(suppressions.command('list'))
    .description('Show how many there are, and the first of them')
    .option('--limit <number>', 'how many to show', parseCount, 100)
    .action((options: WorkspaceOptions & { limit: number }) =>
      operateIn(
        options,
        async (ctx, workspaceId) => {
          const page = { limit: options.limit, startingAfter: undefined }
          const counts = await countSuppressions(ctx, workspaceId)
          return { counts, items: (await listSuppressions(ctx, workspaceId, page)).items }
        },
        ({ counts, items }) =>
          [
            formatTable(
              ['kind', 'reason', 'entries'],
              counts.map(({ kind, reason, count }) => [kind, reason, count]),
            ),
            formatTable(
              ['value', 'kind', 'reason', 'since', 'campaign'],
              items.map((item) => [
                ...[item.value, item.kind, item.reason, item.timestamp_created, item.campaign_id],
              ]),
            ),
          ].join('\n\n'),
      ),
    )
}

interface UndoOptions {
  unsubscribed?: boolean
  since?: Date
}

const warning =
  'Warning: this was no block of yours. Write to it only with a new consent that you can prove.'

const undoNotes = `
Leads that have answered stay stopped, those that had got every step are finished, all others are
written to again when their campaigns and steps say so. What it did is printed, and in the audit log.`

function showUndone(undoneSuppression: UndoneSuppression): string {
  const { address, reason, since, leads, resting_campaigns } = undoneSuppression
  const { still_suppressed, still_suppressed_by } = undoneSuppression
  const undone = since
    ? `${address} was suppressed (${reason}) since ${since.toISOString()}; that is undone.`
    : `${address} is suppressed no more.`
  if (still_suppressed_by) {
    const why = stillBecause[still_suppressed_by]
    return `${undone} ${why} (${still_suppressed}): its leads stay stopped.`
  }
  if (leads.length === 0) return `${undone} It had stopped no lead.`
  const table = formatTable(
    ['lead', 'campaign', 'was stopped as', 'is', 'next mail'],
    leads.map((lead) => [
      lead.lead_id,
      lead.campaign_name,
      lead.previous_stop_reason,
      lead.stop_reason === null ? lead.sending_state : `stopped (${lead.stop_reason})`,
      lead.timestamp_next_send,
    ]),
  )
  const resting = resting_campaigns.map(
    ({ id, name, status }) =>
      `The campaign ${name} is ${status}: it sends nothing until PATCH {"status": "active"} to ${id}.`,
  )
  return [`${undone} Its leads:`, table, ...resting].join('\n')
}

const stillBecause = {
  address: 'It is suppressed',
  domain: 'Its domain is suppressed',
  erased: 'The person was erased from this workspace',
  'opt-out': 'The person asked to be removed from the whole installation',
}

const linesOf = (file: string) => readLines(file === '-' ? process.stdin : createReadStream(file))

/** @returns how many lines there are */
async function writeLines(file: string, pieces: AsyncIterable<string>): Promise<number> {
  let count = 0
  async function* counted() {
    for await (const piece of pieces) {
      count += piece.split('\n').length - 1
      yield piece
    }
  }
  // What belongs to the process is not closed.
  if (file === '-') for await (const piece of counted()) process.stdout.write(piece)
  else await writeWholeFile(file, (whole) => pipeline(Readable.from(counted()), whole))
  return count
}

function showImported({ added, known, invalid, invalid_lines }: ImportedSuppressions): string {
  const text = `${counted(added, 'is', 'are')} added, ${counted(known, 'was', 'were')} there already.`
  if (invalid === 0) return text
  const more = invalid > invalid_lines.length ? ' …' : ''
  return `${text} ${counted(invalid, 'line is', 'lines are')} neither an address nor a domain: ${invalid_lines.join(', ')}${more}`
}
