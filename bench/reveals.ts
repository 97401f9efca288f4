import { sql } from 'kysely'
import { Pool } from 'undici'
import { grantCredits } from '../server/src/features/acquisition/index.ts'
import type { Figure } from './figure.ts'
import type { BenchService } from './service.ts'

const inFlight = 32
const warmUp = 500

/**
 * Reveals every contact once over HTTP, 32 at a time, each with its charge and its event, and checks
 * afterwards that the ledger adds up to the last credit.
 *
 * @param api the address of an API on the service's database
 * @param contactIds of the directory, with addresses; none acquired before
 */
export async function measureReveals(
  service: BenchService,
  api: { address: string },
  contactIds: string[],
): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  const { balance } = await grantCredits(ctx, workspaceId, { credits: contactIds.length })
  await using client = connect(api.address, service.key)
  await revealAll(client, contactIds.slice(0, warmUp))
  const startedMs = performance.now()
  await revealAll(client, contactIds.slice(warmUp))
  const seconds = (performance.now() - startedMs) / 1000
  await checkLedger(service, contactIds.length, balance)
  const value = (contactIds.length - warmUp) / seconds
  return [
    {
      name: `reveals at ${inFlight} in flight, ledger exact`,
      value,
      unit: '/s',
      target: '≥ 1,500/s',
      met: value >= 1500,
    },
  ]
}

interface Client extends AsyncDisposable {
  reveal: (contactId: string) => Promise<void>
}

function connect(address: string, key: string): Client {
  const pool = new Pool(address, { connections: inFlight, pipelining: 1 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    async reveal(contactId) {
      const { statusCode, body } = await pool.request({
        path: '/api/v1/leadbank/acquire_email',
        method: 'POST',
        headers,
        body: JSON.stringify({ contact_id: contactId }),
      })
      const answer = await body.text()
      if (statusCode !== 200 || !answer.includes('"credits_charged":1')) throw new Error(answer)
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

async function revealAll(client: Client, contactIds: string[]) {
  const waiting = [...contactIds]
  const work = async () => {
    for (let id = waiting.pop(); id; id = waiting.pop()) await client.reveal(id)
  }
  await Promise.all(Array.from({ length: inFlight }, work))
}

async function checkLedger({ ctx, workspaceId }: BenchService, reveals: number, granted: number) {
  const { rows } = await sql<Record<'balance' | 'sum' | 'charges' | 'contacts', number>>`
    select balance,
      (select sum(amount)::int from credit_entries where workspace_id = ${workspaceId}::uuid) as sum,
      (select count(*)::int from credit_entries
        where workspace_id = ${workspaceId}::uuid and kind = 'charge') as charges,
      (select count(*)::int from acquired_contacts
        where workspace_id = ${workspaceId}::uuid) as contacts
    from credit_balances where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
  const expected = { balance: granted - reveals, sum: granted - reveals }
  const whole = JSON.stringify({ ...expected, charges: reveals, contacts: reveals })
  if (JSON.stringify(rows[0]) !== whole) throw new Error(`The ledger does not add up: ${whole}`)
}
