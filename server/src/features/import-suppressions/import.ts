import { parseInstant } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { Fingerprints } from '../../kernel/fingerprints.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import { stopErased } from '../leads/index.ts'
import {
  isErasedEntry,
  type NewSuppression,
  parseEntry,
  type SuppressionEntry,
  type SuppressionReason,
  suppress,
  suppressionReasons,
} from '../suppression/index.ts'
import type { ImportedSuppressions } from './schema.ts'

const batchMax = 1000
const linesShown = 20

/**
 * Adds a list of addresses and domains, one to a line; of a line with commas the first field counts,
 * a field that is a reason, and one that is a time, since when. What `export` writes is read back as it
 * was. Of somebody who was erased it tells the hash alone, by which sending knows nobody: the leads that
 * it means are stopped here, and nobody adds or resumes one from then on.
 */
export async function importSuppressions(
  ctx: Context,
  workspaceId: string,
  lines: AsyncIterable<string>,
  reason: SuppressionReason,
  by: ChangedBy,
): Promise<ImportedSuppressions> {
  const result: ImportedSuppressions = { added: 0, known: 0, invalid: 0, invalid_lines: [] }
  const batch = new Map<string, NewSuppression>()
  const seen = new Fingerprints()
  const fresh = new Set<string>()
  const write = async () => {
    const entries = [...batch.values()]
    if (entries.length === 0) return
    const { first = [], again = [] } = Object.groupBy(entries, ({ value }) =>
      fresh.has(value) ? 'first' : 'again',
    )
    const added = await transaction(ctx, async (tx) => {
      // An entry counts where it comes first, and no more where another line has a reason more.
      if (again.length > 0) await suppress(tx, workspaceId, again)
      return suppress(tx, workspaceId, first)
    })
    result.added += added
    result.known += fresh.size - added
    batch.clear()
    fresh.clear()
  }
  let number = 0
  let before: string | undefined
  let hasErased = false
  try {
    for await (const line of lines) {
      number += 1
      const read = readLine(line, reason)
      if (read === 'nothing' || (read === 'invalid' && number === 1 && isHeading(line))) continue
      if (read === 'invalid') {
        result.invalid += 1
        if (result.invalid_lines.length < linesShown) result.invalid_lines.push(number)
        continue
      }
      // An export has a line for each reason of an entry, which are written together.
      if (batch.size >= batchMax && read.value !== before) await write()
      before = read.value
      if (seen.add(read.value)) fresh.add(read.value)
      const key = `${read.reason} ${read.value}`
      if (!batch.has(key)) batch.set(key, read)
      hasErased ||= isErasedEntry(read.value)
    }
    await write()
  } finally {
    // What was written before an upload broke off stays.
    await recordAudit(ctx, {
      ...{ workspaceId, ...by, action: 'suppression.imported' },
      ...{ subjectType: 'suppression', subjectId: null, details: { added: result.added } },
    })
    // Also of entries that were there already: an import that ended before this is run again.
    if (hasErased) await stopErased(ctx, workspaceId)
  }
  return result
}

/** What an export has in place of the address of somebody who was erased. */
const parseErased = (text: string): SuppressionEntry | undefined =>
  isErasedEntry(text) ? { kind: 'address', value: text } : undefined

function readTime(field: string): Date[] {
  const instant = parseInstant(field)
  return instant ? [new Date(instant.epochMilliseconds)] : []
}

const isHeading = (line: string) => /^\W*(value|address|email|domain)\b/i.test(line)

function readLine(line: string, usual: SuppressionReason): NewSuppression | 'nothing' | 'invalid' {
  const fields = line.split(/[,;\t]/).map((field) => field.trim().replace(/^"(.*)"$/, '$1'))
  const [first = ''] = fields
  if (first === '' || first.startsWith('#')) return 'nothing'
  const entry = parseEntry(first) ?? parseErased(first)
  if (!entry) return 'invalid'
  const reason = suppressionReasons.find((each) => fields.slice(1).includes(each)) ?? usual
  return { ...entry, reason, campaignId: null, since: fields.slice(1).flatMap(readTime)[0] }
}
