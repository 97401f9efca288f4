import type { SandboxSite } from './database.ts'
import type { World } from './world.ts'

export interface DemoResult {
  /** Verified, by their type. */
  events: Record<string, number>
  /** Types that were not seen, or not all of. */
  missing: string[]
  seconds: number
}

export const greeting = (leads: number) => `
  SANDBOX · Outrider at work, with a mail server, ${leads} people and a clock of its own.
  Nobody here is real, and nothing leaves this machine.
`

export const beginning = ({ guestLink, clock }: World) => `
  It is ${longDate.format(clock.now())}, early in the morning. Each line below is a webhook, as its receiver verified it.
  See it in the application, signed in as its owner; Ctrl-C ends it all:

    ${guestLink}
`

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

interface CampaignFigures {
  status: string
  lead_counts: Record<string, number>
}

export function summary(
  { events, missing, seconds }: DemoResult,
  refusals: number,
  { status, lead_counts: { total, ...counts } }: CampaignFigures,
): string {
  const count = Object.values(events).reduce((sum, each) => sum + each, 0)
  const leads = Object.entries(counts).map(([word, number]) => `${number} ${word}`)
  const lines = [
    `${count} webhooks of ${Object.keys(events).length} types verified in ${seconds} s, ${refusals} refused.`,
    `The campaign is ${status}. Of ${total} leads: ${leads.join(', ')}.`,
    ...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []),
  ]
  return `\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** @param email of a lead that nobody has marked yet */
export function whatToTry(world: World, site: SandboxSite, campaignId: string, email: string) {
  const { address, guestLink, key } = world
  const call = (path: string) => `curl -s -H "Authorization: Bearer $KEY" "$API${path}"`
  const change = JSON.stringify({ campaign_id: campaignId, email, new_status: 'interested' })
  return `
  SANDBOX · it stays as it is until you press Ctrl-C, and then it is gone. Its clock shows the
  real time now. In a browser:

    ${guestLink}

  In another terminal, from this folder:

    export API=${address} KEY=${key}

  Mark a lead, and see its webhook arrive below:
    ${call('/api/v2/lead/update/status')} \\
      -H 'Content-Type: application/json' -d '${change}'

  Look around:
    ${call(`/api/v2/campaigns/${campaignId}`)}
    ${call(`/api/v2/lead/get?campaign_id=${campaignId}&email=${email}`)}
    ${call('/api/v2/webhook-events?limit=5')}
    ${call('/api/v2/webhook-events/summary')}

  As its operator:
    export ${settingsOf(site)}
    npx outrider campaigns list
    npx outrider inbox list
    npx outrider mailboxes list
    npx outrider suppressions list
    npx outrider credits history

  All of the API: ${address}/docs
`
}

/** By which other commands find the sandbox. */
const settingsOf = ({ dataDir, databaseUrl, databaseName }: SandboxSite) =>
  [`DATA_DIR='${dataDir}'`, ...(databaseName ? [`DATABASE_URL='${databaseUrl}'`] : [])].join(' ')
