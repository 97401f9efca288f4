import pg from 'pg'

/** A connection outside of any pool, which whoever opens it ends. */
export async function openClient(
  url: string,
  application_name: string,
  connectionTimeoutMillis = 0,
): Promise<pg.Client> {
  const settings = { connectionString: url, application_name, connectionTimeoutMillis }
  const client = new pg.Client(settings)
  // Its loss fails the statement under way; unheard, the event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
