import type { JsonSchema, OpenApiDocument } from '../../../scripts/openapi/document.ts'
import { type Described, resolve } from './document.ts'
import type { World } from './world.ts'

export interface ApiRequest {
  url: string
  body?: Record<string, unknown> | Buffer
}

/** In place of an example, where a request is no JSON. */
export const octets = Buffer.from('Email,First name\nzoe@example.com,Zoe\n')

/**
 * A request of the document that this world's key may make and that succeeds: its example, with the
 * records of the world in it.
 *
 * @throws when the world has no such record
 */
export function validRequest(
  document: OpenApiDocument,
  { path, operation, parameters }: Described,
  world: World,
): ApiRequest {
  const { references, values } = world
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name }) => [name, references[name] ?? take(values, name)])
  const example = requestSchema(document, operation)?.examples?.[0]
  return {
    url: withQuery(fillPath(path, world), query),
    ...(isOctets(operation) ? { body: octets } : {}),
    ...(example
      ? {
          body: Object.fromEntries(
            Object.entries(example).map(([name, value]) => [
              name,
              references[name] ?? values[name] ?? value,
            ]),
          ),
        }
      : {}),
  }
}

export interface ForeignRequest extends ApiRequest {
  /** Where it names a record of the other world. */
  place: string
  /** What the contract answers: as if there were no such record. */
  expected: 'not found' | 'nothing' | 'invalid'
}

/** The requests of this world that name a record of the other one, each at one place. */
export function foreignRequests(
  document: OpenApiDocument,
  described: Described,
  world: World,
  other: World,
): ForeignRequest[] {
  const { path, operation, parameters } = described
  const valid = validRequest(document, described, world)
  const [bare = '', search = ''] = valid.url.split('?')
  const query = search === '' ? '' : `?${search}`
  const ofPath: ForeignRequest[] = path.includes('{')
    ? [{ ...valid, url: `${fillPath(path, other)}${query}`, place: 'path', expected: 'not found' }]
    : []
  const ofQuery = parameters
    .filter((each) => each.in === 'query' && each.schema.format === 'uuid')
    .filter((each) => !sharedByAll.has(each.name))
    .map(({ name, required }): ForeignRequest => {
      const changed = new URLSearchParams(search)
      changed.set(name, take(other.references, name))
      const expected = required ? 'not found' : 'nothing'
      return { ...valid, url: `${bare}?${changed}`, place: `query ${name}`, expected }
    })
  const { properties = {}, required = [] } = requestSchema(document, operation) ?? {}
  const needed = Object.entries(valid.body ?? {}).filter(([name]) => required.includes(name))
  const ofBody = Object.entries(properties)
    .filter(([name, schema]) => schema.format === 'uuid' && !sharedByAll.has(name))
    // What is read-only is compared with the record, and never looked up.
    .filter(([, schema]) => !schema.readOnly)
    .map(([name]): ForeignRequest => {
      const body = { ...Object.fromEntries(needed), [name]: take(other.references, name) }
      const expected = name.endsWith('_id') ? 'not found' : 'invalid'
      return { ...valid, body, place: `body ${name}`, expected }
    })
  return [...ofPath, ...ofQuery, ...ofBody]
}

/** Names no record of a workspace: everybody sees the directory, and the others only tell a position. */
const sharedByAll = new Set(['contact_id', 'starting_after', 'seen_message_id'])

const isOctets = ({ requestBody }: Described['operation']) =>
  requestBody?.content['application/octet-stream'] !== undefined

/** Of the body, when there is one. */
export function requestSchema(
  document: OpenApiDocument,
  operation: Described['operation'],
): JsonSchema | undefined {
  const { schema } = operation.requestBody?.content['application/json'] ?? {}
  return schema && resolve<JsonSchema>(document, schema as { $ref: string })
}

const fillPath = (path: string, { ids }: World) =>
  path.replaceAll(/(\/[^{]*)\/\{\w+\}/g, (_all, list: string) => `${list}/${take(ids, list)}`)

const withQuery = (url: string, query: (string | undefined)[][]) =>
  query.length === 0 ? url : `${url}?${new URLSearchParams(query as [string, string][])}`

function take(from: Record<string, string>, name: string): string {
  const value = from[name]
  if (value === undefined) throw new Error(`world.ts has nothing for ${name}: add a record there`)
  return value
}
