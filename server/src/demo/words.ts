import type { SandboxSite } from './database.ts'
import type { DemoResult } from './demo.ts'
import type { Office } from './office.ts'
import type { World } from './world.ts'

export const greeting = (leads: number) => `
  SANDBOX · Outrider at work, with a mail server, ${leads} people and a clock of its own.
  Nobody here is real, and nothing leaves this machine.
`

export const beginning = ({ address }: World) => `
  It is a Monday three weeks ago. Each line below is a webhook, as its receiver verified it.
  The API reference is at ${address}/docs meanwhile; Ctrl-C ends it all.`

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

export function whatToTry({ address, key }: World, site: SandboxSite, { campaignId }: Office) {
  const call = (path: string) => `curl -H "Authorization: Bearer $KEY" "$API${path}"`
  return `
  SANDBOX · it stays as it is until you press Ctrl-C, and then it is gone. The clock shows
  the real time now. In another terminal:

    export API=${address} KEY=${key}
    ${call('/api/v2/campaigns')}
    ${call(`/api/v2/campaigns/${campaignId}`)}
    ${call('/api/v2/webhook-events?limit=5')}
    ${call('/api/v2/webhook-events/summary')}

    export ${Object.entries(settingsOf(site))
      .map(([name, value]) => `${name}='${value}'`)
      .join(' ')}
    npx outrider campaigns list
    npx outrider mailboxes list
    npx outrider suppressions list
    npx outrider credits history

  All of the API: ${address}/docs
`
}

/** By which other commands find the sandbox. */
const settingsOf = ({ dataDir, databaseUrl, databaseName }: SandboxSite) => ({
  DATA_DIR: dataDir,
  ...(databaseName ? { DATABASE_URL: databaseUrl } : {}),
})
