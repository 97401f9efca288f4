import type { SandboxSite } from './database.ts'
import type { DemoResult } from './demo.ts'
import type { Office } from './office.ts'
import type { World } from './world.ts'

export const greeting = (leads: number) => `
  SANDBOX · Outrider at work, with a mail server, ${leads} people and a clock of its own.
  Nobody here is real, and nothing leaves this machine.
`

export function summary({ events, missing, seconds }: DemoResult, refusals: number): string {
  const count = Object.values(events).reduce((sum, each) => sum + each, 0)
  const told = `  ${count} webhooks of ${Object.keys(events).length} types were verified in ${seconds} s, ${refusals} refused.`
  return missing.length === 0 ? `\n${told}` : `\n${told} Missing: ${missing.join(', ')}.`
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
