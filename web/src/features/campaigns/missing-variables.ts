import type { Campaign, LeadVariables } from '../../api/generated/types.gen.ts'
import { stepsOf } from './steps/edit-steps.ts'

interface Missing {
  name: string
  /** Leads that lack it. */
  count: number
  /** Where it is said first; both from 1. */
  step: number
  variant: number
}

/** What every lead has, and what the mailbox and the service add. */
const always = new Set(['email', 'signature', 'unsubscribe_url'])
/** The server names no more: of others nobody knows who lacks them. */
const namesMost = 200
const output = /\{\{-?\s*(\w+)\s*(\|[^{}]*)?\}\}/g
const fallback = /\|\s*default\s*:/

/**
 * The variables that mails say without a default and that leads lack: those leads are not sent them.
 * Mails with conditions are left out, which may ask for anything.
 */
export function missingVariables(
  campaign: Pick<Campaign, 'sequences'>,
  { leads, items }: LeadVariables,
): Missing[] {
  const lackOf = new Map(items.map(({ name, missing }) => [name, missing]))
  const unknown = items.length < namesMost ? leads : 0
  const found = new Map<string, Missing>()
  for (const [step, { variants }] of stepsOf(campaign).entries()) {
    for (const [variant, { subject, body, v_disabled }] of variants.entries()) {
      const text = `${subject}\n${body}`
      if (v_disabled || text.includes('{%')) continue
      for (const [, written = '', filters = ''] of text.matchAll(output)) {
        // A field of the lead has two spellings.
        const name = lackOf.has(written) ? written : snakeCase(written)
        const count = lackOf.get(name) ?? unknown
        if (count === 0 || always.has(name) || fallback.test(filters) || found.has(name)) continue
        found.set(name, { name, count, step: step + 1, variant: variant + 1 })
      }
    }
  }
  return [...found.values()]
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
