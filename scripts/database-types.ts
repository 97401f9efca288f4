// Writes the types of the database from its migrations; with --check it fails when that would
// change them. Runs on a database of its own: of TEST_DATABASE_URL, else of an embedded server.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../server/src/kernel/db/migrate.ts'
import { startPostgresServer } from '../server/test/postgres-server.ts'

const file = fileURLToPath(new URL('../server/src/kernel/db/types.gen.ts', import.meta.url))
const codegen = fileURLToPath(new URL('../node_modules/.bin/kysely-codegen', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'outrider-types-'))
const generated = join(scratch, 'types.gen.ts')

try {
  await using server = await startPostgresServer()
  await generate(server.url)
  if (!process.argv.includes('--check')) {
    copyFileSync(generated, file)
  } else if (readFileSync(generated, 'utf8') !== readFileSync(file, 'utf8')) {
    console.error(
      'server/src/kernel/db/types.gen.ts is not what the migrations make: run "npm run db:types" and commit it.',
    )
    process.exitCode = 1
  }
} finally {
  rmSync(scratch, { recursive: true })
}

async function generate(serverUrl: string) {
  const name = `types_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  try {
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    await migrate(url.href)
    describeDatabase(url.href)
  } finally {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

function describeDatabase(url: string) {
  const options = ['--dialect', 'postgres', '--date-parser', 'string']
  const scope = ['--exclude-pattern', 'migrations', '--url', url, '--out-file', generated]
  execFileSync(codegen, [...options, ...scope], { stdio: ['ignore', 'ignore', 'inherit'] })
}
