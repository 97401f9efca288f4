import { afterAll } from 'vitest'
import type { OpenApiDocument } from '../../../scripts/openapi/document.ts'
import { type TestApi, testApi } from '../app.ts'
import { startReceiver } from '../receiver.ts'
import { createJudge, listOperations, readApplicationDocument, readDocument } from './document.ts'

/**
 * The API with all that its document says of it, and a receiver of its webhooks, until the test file
 * ends. It is there before any test is named: the operations are what the tests are named for.
 */
export const describedApi = () => described((api) => readDocument(api.app))

/** The same of what the browser application uses. */
export const describedApplication = () => described(async () => readApplicationDocument())

/** Where nobody answers: what only a provider can make valid has tests of its own. */
const mailClient = {
  ...{ clientId: 'outrider', clientSecret: 'secret' },
  ...{ authorizeUrl: 'http://127.0.0.1:1/auth', tokenUrl: 'http://127.0.0.1:1/token' },
}

async function described(read: (api: TestApi) => Promise<OpenApiDocument>) {
  const api = await testApi({ mailClients: { google: mailClient, microsoft: mailClient } })
  const receiver = await startReceiver()
  afterAll(async () => {
    await receiver.close()
    await api[Symbol.asyncDispose]()
  })
  api.ctx.lookup = async () => ['127.0.0.1']
  api.ctx.lookupMail = async () => []
  api.ctx.lookupText = async () => []
  const document = await read(api)
  const operations = listOperations(document).map((each) => ({
    ...each,
    name: `${each.method} ${each.path}`,
  }))
  return { api, receiver, document, judge: createJudge(document), operations }
}
