import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
} from '../../../scripts/openapi/document.ts'
import type { Answer } from '../app.ts'

/** An operation of the public API with all that its document says of it. */
export interface Described {
  id: string
  method: string
  /** With `{id}` and the like. */
  path: string
  operation: Operation
  parameters: Parameter[]
}

/** As it is served; `npm run openapi -- --check` proves that it is what the routes say. */
export const readDocument = async (app: FastifyInstance): Promise<OpenApiDocument> =>
  (await app.inject('/openapi.json')).json()

/** What the browser application uses: committed, and never served. */
export const readApplicationDocument = (): OpenApiDocument =>
  JSON.parse(readFileSync(new URL('../../openapi.app.json', import.meta.url), 'utf8'))

export const listOperations = (document: OpenApiDocument): Described[] =>
  [...operationsOf(document)].map(({ path, method, operation }) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
    parameters: (operation.parameters ?? []).map((each) => resolve<Parameter>(document, each)),
  }))

/** What a `$ref` points at. */
export function resolve<T>(document: OpenApiDocument, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const place = value.$ref.slice(2).split('/')
  const found = place.reduce<unknown>(
    (at, name) => (at as Record<string, unknown>)?.[name],
    document,
  )
  if (found === undefined) throw new Error(`The document has no ${value.$ref}.`)
  return found as T
}

export interface Judge {
  /** What of an answer is not as documented. */
  problemsOf: (described: Described, answer: Answer) => string[]
  /** What of a 404 for an unknown path, which belongs to no operation. */
  problemsOfUnknownPath: (answer: Answer) => string[]
  /** Of a value against a component. */
  problemsWith: (schema: { $ref?: string }, value: unknown) => string[]
  /** Of a value against a schema that has no name, as that of a parameter. */
  allows: (schema: JsonSchema, value: unknown) => boolean
}

export function createJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
  ajv.addFormat('double', { type: 'number', validate: () => true })
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  // What this service writes, which is less than RFC 3339 allows.
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  for (const keyword of Object.keys(document)) ajv.addKeyword(keyword)
  ajv.addSchema(document, 'api')
  const compiled = new Map<string, ValidateFunction>()

  const problemsWith = (schema: { $ref?: string }, value: unknown): string[] => {
    const ref = `api${schema.$ref}`
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref })
    compiled.set(ref, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  const problemsOfBody = (response: Response, { headers, body }: Answer): string[] => {
    const [[expected, { schema }] = ['application/json', { schema: undefined }]] = Object.entries(
      response.content ?? {},
    )
    const isJson = expected === 'application/json'
    const type = String(headers['content-type'])
    return [
      ...(type.split(';')[0] === expected ? [] : [`content-type is ${type}`]),
      ...(isJson && !type.endsWith('; charset=utf-8') ? [`content-type is ${type}`] : []),
      ...(headers['cache-control'] === 'no-store' ? [] : ['cache-control is not no-store']),
      ...Object.entries(response.headers ?? {})
        .filter(([, ref]) => resolve<{ required?: boolean }>(document, ref).required)
        .filter(([name]) => headers[name.toLowerCase()] === undefined)
        .map(([name]) => `the header ${name} is missing`),
      ...(schema && isJson ? problemsWith(schema, body) : []),
    ]
  }

  const problemsOf = (described: Described, answer: Answer): string[] => {
    const documented = described.operation.responses[answer.status]
    if (!documented) return [`the status ${answer.status} is not documented`]
    const problems = problemsOfBody(resolve<Response>(document, documented), answer)
    if (answer.status < 400) return problems
    return answer.body?.statusCode === answer.status ? problems : [...problems, 'wrong statusCode']
  }

  return {
    problemsOf,
    problemsOfUnknownPath: (answer) =>
      answer.status === 404 && answer.body?.code === 'unknown_path'
        ? problemsOfBody(document.components.responses?.NotFound as Response, answer)
        : [`${answer.status} instead of unknown_path`],
    problemsWith,
    allows: (schema, value) => ajv.validate(schema, value),
  }
}
