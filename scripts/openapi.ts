// Writes server/openapi.json and server/openapi.app.json, which describes what the browser application
// uses and is never served, from the routes; with --check it fails when that would change one.
// Needs neither a database nor an environment.
import { readFileSync, writeFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { buildApi } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import { createContext } from '../server/src/kernel/create-context.ts'
import { createSecretBox } from '../server/src/kernel/crypto.ts'
import { connect } from '../server/src/kernel/db/db.ts'
import { ErrorBody } from '../server/src/kernel/http/schema.ts'
import { createLog } from '../server/src/kernel/log.ts'
import { collectOpenApi } from './openapi/collect.ts'
import { apiDescription, applicationDescription } from './openapi/description.ts'
import { applicationSide, publicSide } from './openapi/sides.ts'

const isCheck = process.argv.includes('--check')

const documents = await describeApi()
for (const [name, document] of Object.entries(documents)) {
  const file = new URL(`../server/${name}`, import.meta.url)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (!isCheck) {
    writeFileSync(file, text)
  } else if (text !== readCommitted(file)) {
    console.error(
      `server/${name} is not what the routes say: run "npm run openapi", read its diff and commit it.`,
    )
    process.exitCode = 1
  }
}

async function describeApi(): Promise<Record<string, object>> {
  const config = readConfig({})
  // Real parts throughout; none is used, so that the database is never connected to.
  const ctx = createContext({
    config,
    db: connect('postgres://127.0.0.1', 1).db,
    secrets: createSecretBox([Buffer.alloc(32)]),
    log: createLog('silent'),
  })
  const app = await buildApi(ctx, {
    async plugin(api) {
      api.addSchema(ErrorBody)
      await collectOpenApi(api, config, apiDescription, publicSide(config.apiUrl))
      await collectOpenApi(api, config, applicationDescription, applicationSide)
    },
  })
  const { applicationSwagger } = app as FastifyInstance & { applicationSwagger: () => object }
  const described = {
    'openapi.json': app.swagger(),
    'openapi.app.json': applicationSwagger.call(app),
  }
  await app.close()
  await ctx.db.destroy()
  await ctx.http.close()
  return described
}

function readCommitted(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
