import fc from 'fast-check'
import type { JsonSchema, OpenApiDocument, Parameter } from '../../../scripts/openapi/document.ts'
import { type Described, resolve } from './document.ts'
import {
  hostileEncoded,
  hostileHeaders,
  hostileNames,
  hostileTexts,
  hostileValues,
  toJson,
} from './hostile.ts'
import { requestSchema } from './requests.ts'
import type { World } from './world.ts'

export interface FuzzedRequest {
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}

/** Requests near to what the document says: most are valid but for a thing or two. */
export function requestArbitrary(
  document: OpenApiDocument,
  described: Described,
  world: World,
): fc.Arbitrary<FuzzedRequest> {
  return fc.record({
    url: urlArbitrary(document, described, world),
    headers: fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...hostileHeaders) },
    ),
    payload: payloadArbitrary(document, described, world),
  })
}

function urlArbitrary(document: OpenApiDocument, { path, parameters }: Described, world: World) {
  const segments = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const known = world.ids[all.slice(0, index).join('/')] ?? ''
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(known) },
      { weight: 1, arbitrary: fc.constant(known.toUpperCase()) },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 1, arbitrary: fc.constantFrom(...hostileTexts.filter(Boolean)).map(encode) },
      { weight: 1, arbitrary: fc.constantFrom(...hostileEncoded) },
    )
  })
  const query = parameters.filter((each) => each.in === 'query')
  const textOf = ({ name, schema }: Parameter, hostility: number) => {
    const known = world.references[name] ?? world.values[name]
    return fc.oneof(
      { weight: 2, arbitrary: known ? fc.constant(encode(known)) : fc.constant('') },
      { weight: 2, arbitrary: valid(document, schema, world).map((each) => encode(String(each))) },
      { weight: hostility, arbitrary: fc.constantFrom(...hostileTexts).map(encode) },
      { weight: hostility, arbitrary: fc.constantFrom(...hostileEncoded) },
    )
  }
  const pairOf = (each: Parameter, hostility: number) =>
    textOf(each, hostility).map((text) => `${each.name}=${text}`)
  const needed = query
    .filter((each) => each.required)
    .map(({ name }) => `${name}=${encode(world.references[name] ?? world.values[name] ?? '')}`)
  // One that is not valid hides the others: mostly a single one is tried.
  const single = fc
    .oneof(fc.constant(''), ...query.map((each) => pairOf(each, 4)))
    .map((pair) => [...needed.filter((other) => !pair.startsWith(other.split('=')[0] ?? '')), pair])
  const several = fc.array(fc.oneof(fc.constant(''), ...query.map((each) => pairOf(each, 1))), {
    maxLength: 4,
  })
  const pairs = fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: several })
  const unknown = fc.constantFrom<string[]>(
    [],
    [],
    [],
    ['nobody=knows'],
    ['__proto__=1'],
    ['='],
    ['a[]=1'],
  )
  return fc
    .tuple(fc.tuple(...segments), pairs, unknown)
    .map(([parts, some, more]) => [parts.join('/'), [...some, ...more].filter(Boolean).join('&')])
    .map(([bare, search]) => (search ? `${bare}?${search}` : `${bare}`))
}

function payloadArbitrary(
  document: OpenApiDocument,
  { operation, method }: Described,
  world: World,
): fc.Arbitrary<string | Buffer | undefined> {
  const schema = requestSchema(document, operation)
  if (!schema) {
    const ignored = fc.constantFrom('{}', '{"any":"thing"}', '', '[]', 'nonsense')
    return fc.oneof(fc.constant(undefined), method === 'GET' ? fc.constant(undefined) : ignored)
  }
  const text = fc
    .tuple(valid(document, schema, world), fc.array(mutation, { maxLength: 2 }))
    .map(([value, mutations]) => toJson(mutations.reduce(mutate, value)))
  return fc.oneof(
    { weight: 20, arbitrary: text },
    { weight: 1, arbitrary: fc.constantFrom(...hostileValues).map(toJson) },
    { weight: 1, arbitrary: text.map((whole) => whole.slice(0, whole.length / 2)) },
    { weight: 1, arbitrary: text.map((whole) => `\uFEFF${whole}`) },
    {
      weight: 1,
      arbitrary: text.map((whole) => Buffer.concat([Buffer.from(whole), Buffer.of(0xff)])),
    },
    { weight: 1, arbitrary: text.map((whole) => `${whole} // note`) },
    { weight: 1, arbitrary: fc.constant('') },
  )
}

/** A value that the schema allows, with records of the world where they are named. */
function valid(document: OpenApiDocument, given: JsonSchema, world: World): fc.Arbitrary<unknown> {
  const schema = resolve<JsonSchema>(document, given as { $ref: string })
  const { enum: words, anyOf, properties, items, default: fallback } = schema
  const chosen = [...(words ?? []), ...(fallback === undefined ? [] : [fallback])]
  if (words) return fc.constantFrom(...chosen)
  if (anyOf) return fc.oneof(...anyOf.map((each) => valid(document, each, world)))
  const types = [schema.type ?? []].flat()
  if (types.length > 1) {
    return fc.oneof(...types.map((type) => valid(document, { ...schema, type }, world)))
  }
  const [type] = types
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number') return numbers(schema)
  if (type === 'string') return texts(schema)
  if (type === 'array') {
    const { minItems = 0 } = schema as { minItems?: number }
    const item = items ? valid(document, items, world) : fc.jsonValue()
    return fc.array(item, { minLength: minItems, maxLength: minItems + 2 })
  }
  if (!properties)
    return fc.dictionary(
      fc.constantFrom('a', 'X-Custom', ...hostileNames.slice(1)),
      fc.constantFrom<unknown>('b', 1, true),
      { maxKeys: 3 },
    )
  return objects(document, schema, properties, world)
}

function objects(
  document: OpenApiDocument,
  { required = [], examples = [] }: JsonSchema,
  properties: Record<string, JsonSchema>,
  world: World,
) {
  const fields = Object.entries(properties).map(([name, property]) => {
    const shown = examples.flatMap((example) => {
      const value = (example as Record<string, unknown>)[name]
      return value === undefined ? [] : [value]
    })
    const known = world.references[name] ?? world.values[name]
    return [
      name,
      fc.oneof(
        ...(known ? [{ weight: 8, arbitrary: fc.constant<unknown>(known) }] : []),
        ...(shown.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...shown) }] : []),
        {
          weight: 1,
          arbitrary: property.readOnly ? fc.constant(null) : valid(document, property, world),
        },
      ),
    ] as const
  })
  const whole = fc.record(Object.fromEntries(fields), { requiredKeys: required })
  return examples.length > 0
    ? fc.oneof(
        whole,
        fc.constantFrom(...examples).map((example) => withRecords(example as object, world)),
      )
    : whole
}

const withRecords = (example: object, { references, values }: World) =>
  Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      references[name] ?? values[name] ?? value,
    ]),
  )

function numbers({ minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const low = Number(minimum ?? -10)
  const high = Number(maximum ?? 1000)
  return fc.oneof(fc.constantFrom(low, high), fc.integer({ min: low, max: high }))
}

function texts({ format, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  const least = Number(minLength ?? 0)
  const most = Number(maxLength ?? 300)
  return fc.oneof(
    fc.constantFrom(...dictionary),
    fc.string({ minLength: least, maxLength: Math.min(most, least + 20), unit: 'grapheme' }),
    fc.constant('y'.repeat(Math.min(most, 300_000))),
    fc.constantFrom(...hostileTexts),
  )
}

/** Words that mean something somewhere, so that requests get past the first check. */
const dictionary = [
  ...['interested', 'out_of_office', 'completed', 'unsubscribed', 'paused', 'active', 'none'],
  ...['draft', 'all_events', 'lead.interested', 'campaign.paused', 'leads:read', 'all:*'],
  ...['ann@example.com', 'anna@example.com', 'https://example.com/hook', 'whsec_c2VjcmV0'],
  ...['2026-11-20', '2026-11-20T09:37:00Z', '09:00', '24:00', 'UTC', 'europe/berlin', 'true'],
]

interface Mutation {
  at: number
  value: unknown
  /** Added as a field of this name, instead of replacing. */
  name: string | undefined
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 60 }),
  value: fc.constantFrom(...hostileValues),
  name: fc.option(fc.constantFrom(...hostileNames), { nil: undefined, freq: 3 }),
})

/** Puts a hostile value into one place of a tree: that at `at`, counted round and round. */
function mutate(root: unknown, { at, value, name }: Mutation): unknown {
  const count = countPlaces(root)
  let left = at % count
  const walk = (node: unknown): unknown => {
    if (left-- === 0) {
      const isObject = typeof node === 'object' && node !== null && !Array.isArray(node)
      if (name === undefined || !isObject) return value
      // `__proto__` has to be a member like any other.
      return Object.defineProperty({ ...node }, name, { value, enumerable: true })
    }
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, walk(member)]))
  }
  return walk(root)
}

function countPlaces(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1
  return Object.values(node).reduce((sum: number, member) => sum + countPlaces(member), 1)
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())
