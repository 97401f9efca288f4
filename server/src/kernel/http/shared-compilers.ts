import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Run = (data: unknown) => unknown
type Compile = (route: { schema: unknown; httpPart?: string; method: string }) => Run
type Build = (schemas: unknown, options: unknown) => Compile

type CompilersFactory = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>

/**
 * Fastify makes compilers for every plugin anew and compiles every schema at the start. Here all
 * plugins share one pair, and a schema that stands in several routes is compiled once, when the first
 * request needs it: most of a start was spent on this. A test compiles them all. Servers of one process
 * that know the same schemas share them, too, as tests do that start one each.
 *
 * @returns what each server is given
 */
export function sharedCompilers(buildValidator: unknown): () => CompilersFactory {
  const validators = ofProcess(buildValidator as Build)
  const serializers = ofProcess(SerializerSelector() as unknown as Build)
  const ofOne = () => ({
    buildValidator: ofServer(validators),
    buildSerializer: ofServer(serializers),
  })
  return ofOne as unknown as () => CompilersFactory
}

/** Within a server the names of schemas tell which they are. */
function ofServer(build: Build): Build {
  const made = new Map<string, Compile>()
  return (schemas, options) => {
    const names = Object.keys(schemas as object).join()
    const compile = made.get(names) ?? build(schemas, options)
    made.set(names, compile)
    return compile
  }
}

/** Another server may have another schema of the same name. */
function ofProcess(build: Build): Build {
  const made = new Map<string, Compile>()
  return (schemas, options) => {
    const key = JSON.stringify(schemas)
    const compile = made.get(key) ?? lazily(build(schemas, options))
    made.set(key, compile)
    return compile
  }
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
