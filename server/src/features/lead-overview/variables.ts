import type { Campaign } from '../campaigns/index.ts'
import { type StoredLead, textNames, whyNotMade } from '../leads/index.ts'
import { missingIn } from '../messages/index.ts'

type Variable = { name: string; is_missing: boolean }

const output = /\{\{-?\s*([\p{L}_][\p{L}\p{N}_]*)\s*(?:\|[^{}]*)?-?\}\}/gu
const assignment = /\{%-?\s*(?:assign|capture|for)\s+([\p{L}_][\p{L}\p{N}_]*)/gu
/** What a name must be for a lead to have a variable of it that a text can say. */
const isName = /^[\p{L}_][\p{L}\p{N}_-]*$/u

/** What every lead has, and what the mailbox and the service add. */
const always = ['email', 'signature', 'unsubscribe_url']
/** More no lead can be given. */
const namesMax = 100

const fieldOf = new Map<string, string>(
  textNames.map((name) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    name,
  ]),
)

/** What the mails of the campaign say of a lead, what the one lacks that keeps it back first. */
export function variablesOf(
  lead: Pick<StoredLead, 'sending_state' | 'skip_reason' | 'custom_variables'>,
  { sequences }: Pick<Campaign, 'sequences'>,
): Variable[] {
  const missing = missingIn(whyNotMade(lead) ?? '').filter((name) => isName.test(name))
  const texts = sequences
    .flatMap(({ steps }) => steps)
    .flatMap(({ variants }) => variants)
    .filter(({ v_disabled }) => !v_disabled)
    .flatMap(({ subject, body }) => [subject, body])
  const found = (pattern: RegExp) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []))
  const besides = new Set([...always, ...found(assignment)])
  // A field of the lead has two spellings.
  const nameOf = (written: string) =>
    Object.hasOwn(lead.custom_variables, written) ? written : (fieldOf.get(written) ?? written)
  const lacking = new Set(missing.map(nameOf))
  const names = [
    ...lacking,
    ...found(output)
      .filter((name) => !besides.has(name))
      .map(nameOf),
  ]
  return [...new Set(names)]
    .slice(0, namesMax)
    .map((name) => ({ name, is_missing: lacking.has(name) }))
}
