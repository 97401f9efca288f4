import { statusOf } from '../../server/src/kernel/errors.ts'
import type { Access } from '../../server/src/kernel/http/access.ts'
import {
  componentOf,
  type JsonSchema,
  type Method,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from './document.ts'
import { errorResponseName } from './errors.ts'
import { headerRefs } from './headers.ts'
import { inWords, jsonOf, mapValues, tidy } from './schemas.ts'

type Schemas = OpenApiDocument['components']['schemas']

/** Adds to an operation what the HTTP kernel does for every one. */
export function completeOperation(
  method: Method,
  operation: Operation,
  access: Access,
  schemas: Schemas,
) {
  const { scopes } = access
  operation.description = [operation.description, needs(access)].filter(Boolean).join('\n\n')
  operation.security = (scopes.length > 0 ? scopes : [undefined]).map((scope) => ({
    serviceAccountKey: scope ? [scope] : [],
  }))
  completeExchange(method, operation, access, schemas)
}

/** @param role the least one, or who else may; undefined: everybody */
export function completeForPeople(
  method: Method,
  operation: Operation,
  { access, role }: { access: Access | undefined; role: string | undefined },
  schemas: Schemas,
) {
  operation.security = role ? [{ session: [] }] : []
  if (role) operation['x-role'] = role
  completeExchange(method, operation, access, schemas)
}

/** @param access undefined: it belongs to no workspace */
function completeExchange(
  method: Method,
  operation: Operation,
  access: Access | undefined,
  schemas: Schemas,
) {
  if (access?.entitlement) operation['x-plan'] = access.entitlement
  const own = ((operation.parameters ?? []) as Parameter[]).map(completeParameter)
  operation.parameters = [
    ...own,
    ...(access ? [{ $ref: '#/components/parameters/X-Workspace-ID' }] : []),
    ...(access && method === 'post' ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ]
  showRequest(method, operation, schemas)
  operation.responses = responsesOf(method, operation, own, schemas)
}

function needs({ scopes, optionalScopes = [], entitlement }: Access): string {
  const all = [
    scopes.length > 0 ? `the scope ${eitherOf(scopes)}` : '',
    entitlement ? `a plan that includes ${entitlement}` : '',
  ].filter(Boolean)
  const needed = all.length > 0 ? `Needs ${all.join(' and ')}.` : ''
  if (optionalScopes.length === 0) return needed
  return `${needed} A workspace can also demand the scope ${eitherOf(optionalScopes)}.`.trim()
}

const eitherOf = (scopes: string[]) => scopes.map((scope) => `\`${scope}\``).join(' or ')

const completeParameter = (parameter: Parameter): Parameter => ({
  ...parameter,
  schema: tidy(parameter.schema),
  ...(parameter.in === 'path' && !parameter.description
    ? { description: "The record's id; a malformed one is a 404." }
    : {}),
})

/** Examples where a reader looks for them: beside the request. */
function showRequest(method: Method, { requestBody }: Operation, schemas: Schemas) {
  const media = requestBody?.content['application/json']
  const schema = schemas[componentOf(media?.schema) ?? '']
  if (!requestBody || !media || !schema) return
  const { examples = [], required, properties = {} } = schema
  // Ajv fills a default in before it looks for what is required.
  if (required) {
    schema.required = required.filter((name) => !('default' in (properties[name] ?? {})))
    schema.properties = mapValues(properties, inWords)
  }
  // None equals an empty one.
  requestBody.required = method !== 'post' || (schema.required ?? []).length > 0
  media.examples = Object.fromEntries(
    examples.map((value, index) => [`example${index + 1}`, { value }]),
  )
}

function responsesOf(
  method: Method,
  operation: Operation,
  parameters: Parameter[],
  schemas: Schemas,
): Operation['responses'] {
  const success = Object.entries(operation.responses).map(([status, response]) => {
    const name = componentOf(jsonOf(response)) ?? ''
    return [
      status,
      {
        ...response,
        description: schemas[name]?.description ?? operation.summary,
        headers: headerRefs([
          ...['RateLimit', 'RateLimit-Policy'],
          ...(method === 'post' ? ['Idempotency-Replayed'] : []),
        ]),
      },
    ]
  })
  const errors = [...new Set(Object.values(statusOf))]
    .filter((status) => status !== 404 || namesRecord(operation, parameters, schemas))
    .filter((status) => status !== 409 || mayConflict(method, operation))
    .map((status) => [status, { $ref: `#/components/responses/${errorResponseName(status)}` }])
  return Object.fromEntries([...success, ...errors])
}

/** What the public API deletes has no state that could forbid it; the last owner of a workspace has. */
const mayConflict = (method: Method, operation: Operation) =>
  method === 'post' || method === 'patch' || (method === 'delete' && 'x-role' in operation)

/**
 * By its path, or by a required `…_id` of its query or body: then it can be unknown. In the body of
 * what only the application has, one that may be left out can be, too.
 */
function namesRecord(operation: Operation, parameters: Parameter[], schemas: Schemas) {
  const body: JsonSchema = schemas[componentOf(jsonOf(operation.requestBody)) ?? ''] ?? {}
  const inBody = 'x-role' in operation ? Object.keys(body.properties ?? {}) : body.required
  const names = parameters.filter((each) => each.required).map((each) => each.name)
  return (
    parameters.some((each) => each.in === 'path') ||
    [...names, ...(inBody ?? [])].some((name) => /(_id|^value|^address)$/.test(name))
  )
}
