import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Run = (data: unknown) => unknown
type Compile = (route: { schema: unknown; httpPart?: string; method: string }) => Run
type Build = (schemas: Schemas, options: unknown) => Compile

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type Schemas = Readonly<Record<string, object>>

/**
 * Fastify copies the shared schemas for every plugin, makes compilers for each anew, and compiles every
 * schema at the start. Here the plugins of a server have one list and one pair of compilers, and a schema
 * that stands in several routes is compiled once, when the first request needs it: most of a start was spent
 * on this. A test compiles them all. Servers of one process that know the same schemas share the compilers,
 * too, as tests do that start one each.
 *
 * @returns what each server is given
 */
export function sharedCompilers(buildValidator: unknown): () => SchemaController {
  const compilersFactory = {
    buildValidator: shared(buildValidator as Build),
    buildSerializer: shared(SerializerSelector() as unknown as Build),
  }
  return () => ({ bucket: oneBucket(), compilersFactory }) as unknown as SchemaController
}

/** Of a server and all of its plugins; the list is another one once a schema was added. */
function oneBucket() {
  let schemas: Schemas = {}
  const bucket = {
    add(schema: { $id: string }) {
      if (schemas[schema.$id]) throw new Error(`Two schemas are called ${schema.$id}.`)
      schemas = { ...schemas, [schema.$id]: schema }
    },
    getSchema: (name: string) => schemas[name],
    getSchemas: () => schemas,
  }
  return () => bucket
}

/** Another server may have another schema of the same name. */
function shared(build: Build): Build {
  const made: { schemas: Schemas; compile: Compile }[] = []
  const ofLists = new WeakMap<Schemas, Compile>()
  return (schemas, options) => {
    const known =
      ofLists.get(schemas) ?? made.find((each) => areSame(each.schemas, schemas))?.compile
    const compile = known ?? lazily(build(schemas, options))
    if (!known) made.push({ schemas, compile })
    ofLists.set(schemas, compile)
    return compile
  }
}

function areSame(a: Schemas, b: Schemas): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

function lazily(compile: Compile): Compile {
  const uses = new Map<string, Run>()
  return (route) => {
    const key = JSON.stringify([route.schema, route.httpPart, route.method === 'POST'])
    const use = uses.get(key) ?? onFirstUse(() => compile(route))
    uses.set(key, use)
    return use
  }
}

function onFirstUse(compile: () => Run): Run {
  let run: Run | undefined
  return (data) => {
    run ??= compile()
    return run(data)
  }
}
