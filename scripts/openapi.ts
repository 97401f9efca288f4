// Writes server/openapi.json from the routes; with --check it fails when that would change it.
// Needs neither a database nor an environment.
import { readFileSync, writeFileSync } from 'node:fs'
import { buildApi } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import { createContext } from '../server/src/kernel/create-context.ts'
import { createSecretBox } from '../server/src/kernel/crypto.ts'
import { connect } from '../server/src/kernel/db/db.ts'
import { createLog } from '../server/src/kernel/log.ts'
import { collectOpenApi } from './openapi/collect.ts'
import { apiDescription } from './openapi/description.ts'

const file = new URL('../server/openapi.json', import.meta.url)

const text = await describeApi()
if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (text !== readCommitted()) {
  console.error(
    'server/openapi.json is not what the routes say: run "npm run openapi", read its diff and commit it.',
  )
  process.exitCode = 1
}

async function describeApi(): Promise<string> {
  const config = readConfig({})
  // Real parts throughout; none is used, so that the database is never connected to.
  const ctx = createContext({
    config,
    db: connect('postgres://127.0.0.1', 1).db,
    secrets: createSecretBox([Buffer.alloc(32)]),
    log: createLog('silent'),
  })
  const app = await buildApi(ctx, (api) => collectOpenApi(api, ctx.config, apiDescription))
  const document = app.swagger()
  await app.close()
  await ctx.db.destroy()
  await ctx.http.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

function readCommitted(): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
