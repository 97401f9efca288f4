import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { connect } from '../src/kernel/db/db.ts'

const folder = new URL('../migrations/', import.meta.url)

/** A database as it was before a migration, until the test ends, and what applies it. */
export async function databaseBefore(ours: string) {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const database = connect(url.href, 2)
  onTestFinished(async () => {
    await Promise.all([client.end(), database.db.destroy()])
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  const apply = (file: string) => client.query(readFileSync(new URL(file, folder), 'utf8'))
  for (const file of readdirSync(folder).sort()) if (file < ours) await apply(file)
  return { client, db: database.db, migrate: () => apply(ours) }
}
