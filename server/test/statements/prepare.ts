// Prepares every statement that the tests ran (STATEMENTS_FILE of capture.ts) on the PostgreSQL that
// TEST_DATABASE_URL names: its parser, functions, operators and types must know all of them. What
// the embedded PostgreSQL does not prepare either names tables that only its test makes.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadModule, parseSync } from 'libpg-query'
import pg from 'pg'
import { connect } from '../../src/kernel/db/db.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { createPartitions } from '../../src/kernel/db/partitions.ts'
import { partitionedTables } from '../../src/partitions.ts'
import { testInstant } from '../instants.ts'
import { startPostgresServer } from '../postgres-server.ts'

await loadModule()

const file = process.env.STATEMENTS_FILE
const outside = process.env.TEST_DATABASE_URL
if (!file || !outside) throw new Error('STATEMENTS_FILE and TEST_DATABASE_URL must be set.')

const lines = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))
const texts = [...lines].map((line) => JSON.parse(line) as string).filter(isPreparable)

const refused = await refusedBy(outside, texts)
delete process.env.TEST_DATABASE_URL
await using embedded = await startPostgresServer()
const refusedEverywhere = await refusedBy(embedded.url, [...refused.keys()])
const differing = [...refused].filter(([text]) => !refusedEverywhere.has(text))

for (const [text, { message }] of differing) console.log(`${message}:\n${text.trim()}\n`)
console.log(
  `${texts.length - refused.size} statements prepared, ${differing.length} refused, ` +
    `${refusedEverywhere.size} left out`,
)
const isGood = differing.length === 0 && texts.length > refused.size
console.log(isGood ? '1 passed, 0 failed' : '0 passed, 1 failed')
process.exitCode = isGood ? 0 : 1

/** One query or change of rows; what else there is cannot be prepared. */
function isPreparable(text: string): boolean {
  const [first, ...others] = parseSync(text).stmts ?? []
  const kind = Object.keys(first?.stmt ?? {})[0] ?? ''
  return others.length === 0 && /^(Select|Insert|Update|Delete|Merge)Stmt$/.test(kind)
}

/** With the server's reason; on a migrated database that is gone afterwards. */
async function refusedBy(server: string, texts: string[]): Promise<Map<string, Error>> {
  const name = `prepare_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await migrate(url.href)
  const { db } = connect(url.href, 1)
  for (const table of partitionedTables) await createPartitions(db, table, testInstant())
  await db.destroy()

  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const refused = new Map<string, Error>()
  for (const text of texts) {
    await client
      .query(`prepare statement as ${text}`)
      .then(() => client.query('deallocate statement'))
      .catch((error: Error) => refused.set(text, error))
  }
  await client.end()
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  return refused
}
