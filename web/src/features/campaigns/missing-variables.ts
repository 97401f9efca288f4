import type { Campaign, LeadVariables } from '../../api/generated/types.gen.ts'
import { stepsOf, type Variant } from './steps/edit-steps.ts'

export interface Missing {
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
 * Mails with conditions are left out, which may ask for anything: `mayLackMore` tells of them.
 */
export function missingVariables(
  campaign: Pick<Campaign, 'sequences'>,
  known: LeadVariables,
): Missing[] {
  const found = new Map<string, Missing>()
  for (const [step, { variants }] of stepsOf(campaign).entries()) {
    for (const [variant, mail] of variants.entries()) {
      for (const [name, count] of lackedBy(mail, known)) {
        if (!found.has(name)) found.set(name, { name, count, step: step + 1, variant: variant + 1 })
      }
    }
  }
  return [...found.values()]
}

/**
 * So many leads that were sent nothing yet get the first mail at most. Which of its variants a lead gets,
 * and whether it is the same leads that lack two variables, is not known here; nor why none is on, which the
 * forecast says.
 */
export function reachedAtMost(campaign: Pick<Campaign, 'sequences'>, known: LeadVariables): number {
  const variants = stepsOf(campaign)[0]?.variants.filter(({ v_disabled }) => !v_disabled) ?? []
  if (variants.length === 0) return known.leads
  const lacked = variants.map((mail) => lackedBy(mail, known))
  const least = (counts: Iterable<number>) => known.leads - Math.max(0, ...counts)
  const ofEach = lacked.map((counts) => least(counts.values()))
  const inAll = [...(lacked[0] ?? [])].filter(([name]) => lacked.every((each) => each.has(name)))
  return Math.min(
    ofEach.reduce((sum, leads) => sum + leads, 0),
    least(inAll.map(([, count]) => count)),
  )
}

/** Only the newest leads are looked at: of others nobody knows what they lack. */
export const knowsAll = (
  { leads }: LeadVariables,
  { lead_counts }: Pick<Campaign, 'lead_counts'>,
): boolean => leads >= lead_counts.active

/**
 * What a mail says in `{{…}}` without a default and every lead lacks, as where a name is written wrong: the
 * mail is sent to nobody.
 */
export function unknownIn(mail: Variant, known: LeadVariables): string[] {
  if (lackedBy(mail, known).size === 0) return []
  const said = [...`${mail.subject}\n${mail.body}`.matchAll(/\{\{([^{}]*)\}\}/g)]
  const isLackedByAll = (expression: string) => {
    const lacked = lackedBy({ ...mail, subject: '', body: `{{${expression}}}` }, known)
    return [...lacked.values()].includes(known.leads)
  }
  const expressions = said.map(([, expression = '']) => expression.trim())
  return [...new Set(expressions)].filter(isLackedByAll)
}

/** Whether a mail with conditions says what leads lack: it may say that only to those who do not. */
export const mayLackMore = (campaign: Pick<Campaign, 'sequences'>, known: LeadVariables): boolean =>
  stepsOf(campaign).some(({ variants }) =>
    variants.some((mail) => hasConditions(mail) && lackedOutputs(mail, known).size > 0),
  )

const hasConditions = ({ subject, body }: Variant) => `${subject}\n${body}`.includes('{%')

/** What a mail says to everybody without a default, by how many leads lack it. */
const lackedBy = (mail: Variant, known: LeadVariables): Map<string, number> =>
  hasConditions(mail) ? new Map() : lackedOutputs(mail, known)

function lackedOutputs({ subject, body, v_disabled }: Variant, { leads, items }: LeadVariables) {
  const lackOf = new Map(items.map(({ name, missing }) => [name, missing]))
  const unknown = items.length < namesMost ? leads : 0
  const text = `${subject}\n${body}`
  const lacked = new Map<string, number>()
  if (v_disabled) return lacked
  for (const [, written = '', filters = ''] of text.matchAll(output)) {
    // A field of the lead has two spellings.
    const name = lackOf.has(written) ? written : snakeCase(written)
    const count = lackOf.get(name) ?? unknown
    if (count > 0 && !always.has(name) && !fallback.test(filters)) lacked.set(name, count)
  }
  return lacked
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
