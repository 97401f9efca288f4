import type pg from 'pg'
import { NamedClient } from './client.ts'
import { databaseReadOnly } from './failure.ts'
import type { ReconnectGate } from './reconnect.ts'
import { type DatabaseTimeouts, settingsOf } from './timeouts.ts'

/** The kernel asks whether the other side is still there after this silence, so no router forgets us. */
const keepAliveAfterMs = 10_000

export const connectionSettings = (url: string, timeouts: DatabaseTimeouts) => ({
  connectionString: url,
  application_name: 'outrider',
  connectionTimeoutMillis: timeouts.connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveAfterMs,
})

/** @returns a client class whose connections pass `gate` and get the settings of `timeouts` */
export function gatedClient(gate: ReconnectGate, timeouts: DatabaseTimeouts) {
  const settings = settingsOf(timeouts)
  return class GatedClient extends NamedClient {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      // The pool listens only once it has the client; unheard, the event would end the process.
      this.on('error', () => undefined)
      const connecting = gate.pass(() => this.#open())
      if (!callback) return connecting
      connecting.then(() => (callback as () => void)(), callback)
    }

    /** Not to a standby: where an address moves to a new primary, what was connected before stays. */
    async #open(): Promise<pg.Client> {
      await super.connect()
      const text = `${settings}show transaction_read_only`
      try {
        const asked = { text, query_timeout: timeouts.connectMs } as pg.QueryConfig
        const answers = [await this.query(asked)].flat()
        if (answers.at(-1)?.rows[0].transaction_read_only === 'on') throw databaseReadOnly()
        return this
      } catch (error) {
        this.connection.stream.destroy()
        throw error
      }
    }
  }
}
