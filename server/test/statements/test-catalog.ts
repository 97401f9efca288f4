import pg from 'pg'
import { testDatabase } from '../database.ts'
import { type Catalog, readCatalog } from './catalog.ts'

let catalog: Promise<Catalog> | undefined

/** The same for all test files of a worker: read once. */
export function testCatalog(): Promise<Catalog> {
  catalog ??= read()
  return catalog
}

/** From a copy of its own: nobody can copy the template while someone is connected to it. */
async function read(): Promise<Catalog> {
  await using database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return await readCatalog(client)
  } finally {
    await client.end()
  }
}
