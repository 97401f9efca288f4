import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { sharedCompilers } from './shared-compilers.ts'

test('a schema that stands in several plugins is compiled once, when a request first needs it', async () => {
  const compiled: unknown[] = []
  const buildValidator = () => (route: { schema: unknown }) => {
    compiled.push(route.schema)
    return (value: unknown) => ({ value })
  }
  const app = Fastify({ schemaController: { compilersFactory: sharedCompilers(buildValidator) } })
  const schema = { body: { type: 'object', properties: { name: { type: 'string' } } } }
  for (const prefix of ['/a', '/b']) {
    await app.register(
      async (plugin) => void plugin.post('/', { schema }, async () => ({ ok: true })),
      { prefix },
    )
  }
  await app.ready()
  expect(compiled).toEqual([])
  for (const url of ['/a', '/b', '/a'])
    expect((await app.inject({ method: 'POST', url, payload: {} })).json()).toEqual({ ok: true })
  expect(compiled).toHaveLength(1)
  await app.close()
})
