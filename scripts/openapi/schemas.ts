import { type Components, componentOf, type JsonSchema } from './document.ts'

/** Keywords that steer our validator, or say what only the document says, as code checks it. */
const internalKeywords = new Set(['x-trim', 'x-fold', 'x-secret', 'x-document', 'x-form'])

/** A schema as a reader wants it; the same values are valid. */
export function tidy(schema: JsonSchema): JsonSchema {
  const whole = merged(schema)
  const shown = split({ ...whole, ...(whole['x-document'] as JsonSchema | undefined) })
  const { anyOf, properties, items, additionalProperties, ...rest } = shown
  const isUuid = rest['x-fold'] === true
  for (const keyword of internalKeywords) delete rest[keyword]
  if (isUuid) {
    rest.format = 'uuid'
    delete rest.pattern
  }
  if (rest.enum && !rest.type) rest.type = typesOf(rest.enum)
  // Go's generators take a number without a format for one of 32 bits, which rounds what is sent.
  if ([rest.type].flat().includes('number')) rest.format = 'double'
  const property = (value: JsonSchema, name: string) =>
    rest.required?.includes(name) ? tidy(value) : inWords(tidy(value))
  return {
    ...rest,
    ...(anyOf ? { anyOf: anyOf.map(tidy) } : {}),
    ...(properties ? { properties: mapValues(properties, property) } : {}),
    ...(items ? { items: tidy(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: tidy(additionalProperties) }
      : additionalProperties === undefined
        ? {}
        : { additionalProperties }),
  }
}

/**
 * A default that a request may rely on, said in words: generators of clients take a field that has one for
 * required, or send it with every request, also once it is another here.
 */
export function inWords({ default: value, ...schema }: JsonSchema): JsonSchema {
  if (value === undefined) return schema
  const words = `\`${JSON.stringify(value)}\` when left out.`
  const about = schema.description?.replace(/\.?$/, '. ') ?? ''
  return { ...schema, description: about + words }
}

/** `anyOf: [{type: 'string'}, {type: 'null'}]` is `type: ['string', 'null']`. */
function merged(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema
  const [inner, none] = anyOf ?? []
  if (anyOf?.length !== 2 || !inner || inner.$ref || inner.anyOf || none?.type !== 'null') {
    return schema
  }
  const type = inner.type ?? (inner.enum && typesOf(inner.enum))
  if (!type) return schema
  return {
    ...inner,
    ...outer,
    type: [type, 'null'].flat(),
    ...(inner.enum ? { enum: [...inner.enum, null] } : {}),
  }
}

/** A list of types, where generators of clients know only one beside null. */
function split(schema: JsonSchema): JsonSchema {
  const types = [schema.type ?? []].flat()
  if (types.filter((type) => type !== 'null').length < 2) return schema
  const { type: _types, maxLength, ...rest } = schema
  const bounds = maxLength === undefined ? {} : { maxLength }
  return { ...rest, anyOf: types.map((type) => ({ type, ...(type === 'string' ? bounds : {}) })) }
}

function typesOf(values: unknown[]): string | string[] {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return types.length === 1 ? (types[0] ?? 'string') : types
}

/** Every component shows one; those of lists and events are put together from others. */
export function showSchemas({ schemas }: Components) {
  for (const schema of Object.values(schemas)) schema.examples ??= [exampleOf(schema, schemas)]
}

/** The schema of the JSON in a request or response. */
export const jsonOf = (message: object | undefined): JsonSchema | undefined =>
  (message as { content?: Record<string, { schema: JsonSchema }> } | undefined)?.content?.[
    'application/json'
  ]?.schema

/** Put together from the examples of what it refers to. */
function exampleOf(schema: JsonSchema, schemas: Components['schemas']): unknown {
  const target = schemas[componentOf(schema) ?? ''] ?? schema
  if (target.examples) return target.examples[0]
  if (target.enum) return target.enum[0]
  if (target.items) return [exampleOf(target.items, schemas)]
  const [type = ''] = [target.type ?? []].flat()
  if (type in scalars) return target.format === 'uuid' ? scalars.uuid : scalars[type]
  const { properties = {}, required = [] } = target
  return mapValues(
    Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name))),
    (property) => exampleOf(property, schemas),
  )
}

const scalars: Record<string, unknown> = {
  boolean: true,
  integer: 1,
  number: 1,
  string: 'text',
  uuid: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
}

export const mapValues = <A, B>(
  record: Record<string, A>,
  map: (value: A, name: string) => B,
): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
