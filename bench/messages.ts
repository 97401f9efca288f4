import { randomBytes } from 'node:crypto'
import { Liquid } from 'liquidjs'
import {
  type ComposeInput,
  compileStep,
  compose,
  type MailVariant,
} from '../server/src/features/messages/index.ts'
import { tokenBoxOf, webLinks } from '../server/src/features/tracking/index.ts'
import { createSecretBox } from '../server/src/kernel/crypto.ts'
import { type Figure, medianOf } from './figure.ts'
import { benchMail } from './sending/campaign.ts'

const mails = 50_000
const rounds = 5
const target = 15_000

/**
 * Mails composed by one core, each for another lead: HTML and text, four fields, spintax, a tracked
 * link, one-click unsubscribe. Beside it the same two templates through plain Liquid and nothing else.
 */
export async function bench(): Promise<Figure[]> {
  const composeOne = composer()
  const renderOne = renderer()
  const rates = Array.from({ length: rounds }, () => ({
    ours: perSecond(composeOne),
    limit: perSecond(renderOne),
  }))
  const value = medianOf(rates, ({ ours }) => ours)
  const limit = medianOf(rates, (rate) => rate.limit)
  return [
    {
      name: 'mails composed, one core',
      value,
      unit: 'mails/s',
      limit: { name: 'its two templates rendered by plain Liquid', value: limit },
      target: `≥ ${target.toLocaleString('en-US')}/s`,
      met: value >= target,
    },
  ]
}

const ids = {
  workspace: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  step: '019a9d5e-2222-7c31-9d0a-5e1f6a2b3c4d',
}

const variant: MailVariant = {
  id: '019a9d5e-3333-7c31-9d0a-5e1f6a2b3c4d',
  ...benchMail,
}

function composer(): (index: number) => unknown {
  const compiled = compileStep(
    {
      workspace_id: ids.workspace,
      campaign_schedule: { schedules: [{ timezone: 'Europe/Berlin' }] },
      open_tracking: false,
      link_tracking: true,
      text_only: false,
      first_email_text_only: false,
      insert_unsubscribe_header: true,
      cc_list: [],
      bcc_list: [],
    },
    { id: ids.step },
    variant,
  )
  const tokens = tokenBoxOf({ secrets: createSecretBox([randomBytes(32)]) })
  const links = webLinks(tokens, 'https://go.example.com')
  const mailbox = { address: 'ada@example.com', display_name: 'Ada Lovelace', signature: null }
  return (index) =>
    compose(compiled, {
      lead: makeLead(index),
      mailbox,
      messageId: `<${index}@example.com>`,
      thread: null,
      at: new Date(1_800_000_000_000 + index),
      links,
    })
}

function renderer(): (index: number) => unknown {
  const liquid = new Liquid()
  // Plain Liquid knows no spintax.
  const [subject, body] = [variant.subject, variant.body].map((text) =>
    liquid.parse(text.replace(/\{(\w+)\|[\w ]+\}/g, '$1')),
  )
  return (index) => {
    const { custom_variables, ...fields } = makeLead(index)
    const variables = { ...fields, ...custom_variables }
    return [liquid.renderSync(subject ?? [], variables), liquid.renderSync(body ?? [], variables)]
  }
}

const makeLead = (index: number): ComposeInput['lead'] => ({
  id: `019a9d5e-1111-7c31-9d0a-${index.toString(16).padStart(12, '0')}`,
  email: `ann-${index}@company${index % 97}.example`,
  first_name: `Ann ${index}`,
  last_name: 'Smith',
  company_name: `Company & Sons ${index % 97}`,
  company_domain: null,
  job_title: 'Engineer',
  phone: null,
  website: null,
  personalization: null,
  custom_variables: { city: 'Bonn' },
})

function perSecond(make: (index: number) => unknown): number {
  const startedMs = performance.now()
  for (let index = 0; index < mails; index++) make(index)
  return mails / ((performance.now() - startedMs) / 1000)
}
