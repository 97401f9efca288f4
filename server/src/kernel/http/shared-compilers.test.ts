import Fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { sharedCompilers } from './shared-compilers.ts'

const body = { type: 'object', properties: { name: { type: 'string' } } }

const text = { $id: 'Shared', type: 'string' }

/** Counts what it compiles, and starts servers of two plugins that have the same body. */
function counting() {
  const compiled: unknown[] = []
  const schemasOfServer = sharedCompilers(() => (route: { schema: unknown }) => {
    compiled.push(route.schema)
    return (value: unknown) => ({ value })
  })
  const start = async (shared = text) => {
    const app = Fastify({ schemaController: schemasOfServer() })
    app.addSchema(shared)
    for (const prefix of ['/a', '/b']) {
      const routes = async (plugin: FastifyInstance) =>
        void plugin.post('/', { schema: { body } }, async () => ({ ok: true }))
      await app.register(routes, { prefix })
    }
    await app.ready()
    return app
  }
  return { compiled, start }
}

async function callAll(app: FastifyInstance) {
  for (const url of ['/a', '/b', '/a'])
    expect((await app.inject({ method: 'POST', url, payload: {} })).json()).toEqual({ ok: true })
  await app.close()
}

test('a schema that stands in several plugins and servers is compiled once, when a request first needs it', async () => {
  const { compiled, start } = counting()
  const [one, other] = [await start(), await start()]
  expect(compiled).toEqual([])
  await callAll(one)
  expect(compiled).toHaveLength(1)
  await callAll(other)
  expect(compiled).toHaveLength(1)
})

test('a server whose shared schemas are others of the same names compiles with its own', async () => {
  const { compiled, start } = counting()
  await callAll(await start())
  await callAll(await start({ ...text, type: 'number' }))
  expect(compiled).toHaveLength(2)
})

test('two shared schemas of one name are refused', async () => {
  const app = Fastify({ schemaController: sharedCompilers(() => () => ({}))() })
  app.addSchema(text)
  expect(() => app.addSchema({ ...text, type: 'number' })).toThrow('Two schemas are called Shared.')
})
