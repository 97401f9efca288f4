import { isDeepStrictEqual } from 'node:util'
import { hasMoreCharacters } from '../../kernel/characters.ts'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { escapePointer } from '../../kernel/json/pointer.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import type { LeadChanges } from './lists/list-schema.ts'
import { lockLeads } from './queries.ts'
import { isHuge, numberTooLarge, problemAt, tooManyVariables } from './read-leads.ts'
import { isErased, leadRecord } from './record.ts'
import { type Lead, type TextField, textNames, variableNameMax, variablesMax } from './schema.ts'
import { resumeMended } from './status/resume-mended.ts'
import { updateFields } from './update-queries.ts'

/** Corrects what is known of a person, by hand. What was sent stays as it was. */
export async function updateLead(
  ctx: Context,
  workspaceId: string,
  id: string,
  changes: LeadChanges,
  by: ChangedBy,
): Promise<Lead> {
  return transaction(ctx, async (tx) => {
    const [lead] = await lockLeads(tx.db, workspaceId, [id])
    if (!lead || isErased(lead)) throw notFound('lead')
    // One that the lead has is corrected or removed, whatever its name.
    const names = Object.keys(changes.custom_variables ?? {})
    const fresh = names.filter((name) => !Object.hasOwn(lead.custom_variables, name))
    if (fresh.some((name) => name.trim() === '' || hasMoreCharacters(name, variableNameMax))) {
      throw invalidField(
        '/custom_variables',
        `a variable's name has 1 to ${variableNameMax} characters`,
      )
    }
    // One that was taken once may come back as it is.
    const huge = names.find(
      (name) =>
        isHuge(changes.custom_variables?.[name]) &&
        changes.custom_variables?.[name] !== lead.custom_variables[name],
    )
    if (huge !== undefined) {
      const { path, message } = problemAt(
        `/custom_variables/${escapePointer(huge)}`,
        numberTooLarge,
      )
      throw invalidField(path, message)
    }
    const custom_variables = Object.fromEntries(
      Object.entries({ ...lead.custom_variables, ...changes.custom_variables }).flatMap(
        ([name, value]) => (value === null ? [] : [[name, value] as const]),
      ),
    )
    if (Object.keys(custom_variables).length > variablesMax) {
      const { path, message } = problemAt('/custom_variables', tooManyVariables)
      throw invalidField(path, message)
    }
    const texts = Object.fromEntries(
      textNames.map((field) => {
        const given = changes[field]
        return [field, given === undefined ? lead[field] : given || null]
      }),
    ) as Record<TextField, string | null>
    const now = { ...texts, custom_variables }
    const fields = (Object.keys(now) as (keyof typeof now)[]).filter(
      (field) => !isDeepStrictEqual(now[field], lead[field]),
    )
    if (fields.length === 0) return leadRecord(lead)
    const changed = { ...lead, ...now, timestamp_updated: tx.now() }
    await updateFields(tx.db, changed)
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, action: 'lead.updated', subjectType: 'lead', subjectId: id },
      // Their names alone: what is in them is personal.
      details: { fields },
    })
    const [resumed] = await resumeMended(tx, workspaceId, [changed])
    return leadRecord(resumed ?? changed)
  })
}
