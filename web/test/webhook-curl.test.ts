import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { asCurl } from '../src/features/webhooks/curl.ts'

const run = promisify(execFile)

test('the copied curl asks the address as it is, with brackets, braces and quotes in it', async () => {
  const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = []
  const bodies: string[] = []
  await using server = createServer((request, response) => {
    asked.push(request)
    void text(request).then((body) => {
      bodies.push(body)
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const path = "/in?to[]=1&range=[1-3]&choice={a,b}&open=[&who='me'"
  const body = '{"name":"O\'Neill [1-2] {a,b}"}'
  const signed = [{ name: 'webhook-signature', value: 'v1,fresh' }]
  const headers = [
    { name: 'webhook-signature', value: 'v1,old' },
    { name: 'X-Token', value: '••••' },
  ]
  const url = `http://127.0.0.1:${port}${path}`
  await run('sh', ['-c', asCurl({ url, headers, body, signed })])
  expect(asked.map(({ url }) => url)).toEqual([path])
  expect(asked[0]?.headers).toMatchObject({ 'webhook-signature': 'v1,fresh' })
  expect(bodies).toEqual([body])
})
