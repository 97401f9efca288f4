import { afterAll } from 'vitest'
import { testApi } from '../app.ts'
import { startReceiver } from '../receiver.ts'
import { createJudge, listOperations, readDocument } from './document.ts'

/**
 * The API with all that its document says of it, and a receiver of its webhooks, until the test file
 * ends. It is there before any test is named: the operations are what the tests are named for.
 */
export async function describedApi() {
  const api = await testApi()
  const receiver = await startReceiver()
  afterAll(async () => {
    await receiver.close()
    await api[Symbol.asyncDispose]()
  })
  api.ctx.lookup = async () => ['127.0.0.1']
  const document = await readDocument(api.app)
  const operations = listOperations(document).map((each) => ({
    ...each,
    name: `${each.method} ${each.path}`,
  }))
  return { api, receiver, document, judge: createJudge(document), operations }
}
