import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { AppError, detailsMax, type ErrorDetail, invalidField, invalidFields } from '../errors.ts'
import { isRecord } from '../json/is-record.ts'
import { escapePointer, partsOfPointer } from '../json/pointer.ts'
import { cursorMessage, invalidCursor, pageMax } from './page.ts'

/**
 * Validators for every part of a request. Fastify's defaults turn `{name: 7}` into "7" and drop
 * unknown fields; here bodies are taken as sent, and only query parameters are coerced.
 */
export function buildValidator(sharedSchemas: unknown): FastifySchemaCompiler<unknown> {
  const shared = Object.values(sharedSchemas as Record<string, object>)
  const body = createAjv({}, shared)
  // The first one has looked at the schemas themselves.
  const query = createAjv({ coerceTypes: true, validateSchema: false }, shared)
  const thorough = once(() => createAjv({ allErrors: true, validateSchema: false }, shared))
  return ({ schema, httpPart, method }) => {
    if (httpPart === 'body') {
      const first = body.compile(schema as object)
      // Compiled for the first body that is wrong: a start takes less.
      const all = once(() => thorough().compile(schema as object))
      return bodyValidator({ first, all }, method === 'POST')
    }
    void body.validateSchema(schema as object, true)
    const validate = query.compile(schema as object)
    if (httpPart === 'params') return paramsValidator(validate)
    return queryValidator(validate, schema as { properties?: Record<string, unknown> })
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function createAjv(options: object, shared: object[]): Ajv {
  const ajv = new Ajv({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    removeAdditional: false,
    useDefaults: true,
    verbose: true,
    ...options,
  })
  ajv.addFormat('date-time', true)
  for (const keyword of ['example', 'x-secret', 'x-document', 'x-form']) ajv.addKeyword(keyword)
  ajv.addKeyword({ ...rewriting('x-trim', (text) => text.trim()), before: 'maxLength' })
  ajv.addKeyword(rewriting('x-fold', (text) => text.toLowerCase()))
  for (const schema of shared) ajv.addSchema(schema)
  return ajv
}

const rewriting = (keyword: string, rewrite: (text: string) => string) => ({
  keyword,
  type: 'string' as const,
  schemaType: 'boolean' as const,
  modifying: true,
  validate: (
    _on: boolean,
    text: string,
    _schema?: object,
    at?: { parentData: Record<string | number, unknown>; parentDataProperty: string | number },
  ) => {
    if (at) at.parentData[at.parentDataProperty] = rewrite(text)
    return true
  },
})

/** In POST `null` equals omitted. An unknown field that says nothing is ignored. */
function bodyValidator(validate: BodyValidators, nullIsOmitted: boolean) {
  return (data: unknown) => {
    if (nullIsOmitted && isRecord(data)) {
      for (const name of Object.keys(data)) if (data[name] === null) delete data[name]
    }
    let dropped = 0
    while (!validate.first(data)) {
      if (dropped++ > detailsMax || !dropEmptyUnknownFields(data, validate.first.errors?.[0])) {
        const errors = listErrors(data, validate)
        const faults = errors.filter((error) => !isEmptyUnknownField(error))
        return { error: bodyError(faults.length > 0 ? faults : errors) }
      }
    }
    return { value: data }
  }
}

/**
 * Drops those of one object and of the others in its list at once, since each pass looks at the whole
 * body.
 *
 * @returns whether there were any
 */
function dropEmptyUnknownFields(body: unknown, error: ErrorObject | undefined): boolean {
  if (!error || !isEmptyUnknownField(error)) return false
  const { parentSchema, instancePath } = error
  for (const each of recordsLike(body, instancePath)) {
    for (const name of Object.keys(each)) {
      if (!Object.hasOwn(parentSchema?.properties ?? {}, name) && isEmpty(each[name]))
        delete each[name]
    }
  }
  return true
}

/** The record at a path, and those in the other items of the lists on its way: they have one schema. */
const recordsLike = (body: unknown, path: string): Record<string, unknown>[] =>
  partsOfPointer(path)
    .reduce<unknown[]>(
      (places, part) =>
        places.flatMap((place) =>
          isRecord(place) ? [place[part]] : Array.isArray(place) ? place : [],
        ),
      [body],
    )
    .filter(isRecord)

interface BodyValidators {
  first: ValidateFunction
  all: () => ValidateFunction
}

/**
 * Every problem at once helps a person; in a huge body it would only fill the memory. There each row of
 * the list that the first one is in is judged by itself, as if the body held nothing else.
 */
function listErrors(body: unknown, { first, all }: BodyValidators): ErrorObject[] {
  const judge = isSmall(body) ? all() : first
  judge(body)
  const errors = judge.errors ?? []
  const [name = '', place] = partsOfPointer(errors[0]?.instancePath ?? '')
  const rows = place !== undefined && isRecord(body) && body[name]
  if (!Array.isArray(rows) || judge !== first) return errors
  const ofRows: ErrorObject[] = []
  for (const [index, row] of rows.entries()) {
    if (ofRows.length > detailsMax) break
    if (isSmall(row)) ofRows.push(...errorsOfRow(name, row, index, all()))
  }
  return ofRows.length > 0 ? ofRows : errors
}

function errorsOfRow(name: string, row: unknown, index: number, all: ValidateFunction) {
  all({ [name]: [row] })
  const alone = `/${name}/0`
  return (all.errors ?? [])
    .filter(({ instancePath }) => instancePath.startsWith(alone))
    .map((error) => ({
      ...error,
      instancePath: `/${name}/${index}${error.instancePath.slice(alone.length)}`,
    }))
}

/** At most 2,000 values in all. */
function isSmall(data: unknown): boolean {
  const open = [data]
  for (let seen = 0; open.length > 0; seen++) {
    if (seen + open.length > 2000) return false
    const value = open.pop()
    if (typeof value === 'object' && value !== null)
      open.push(...Object.values(value).slice(0, 2001))
  }
  return true
}

const isEmptyUnknownField = ({ keyword, data, params }: ErrorObject): boolean =>
  keyword === 'additionalProperties' && isRecord(data) && isEmpty(data[params.additionalProperty])

function isEmpty(value: unknown): boolean {
  if (value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function bodyError(errors: ErrorObject[]): AppError {
  const isUnknown = (error: ErrorObject) => error.keyword === 'additionalProperties'
  // The code is of what comes first, which is the message.
  const ranked = errors.toSorted((a, b) => Number(isUnknown(a)) - Number(isUnknown(b)))
  const details = describe(ranked, '/')
  // A search asks for its page in the body.
  const isAt = (path: string) => errors.some((error) => error.instancePath === path)
  if (isAt('/limit')) return new AppError('invalid_limit', limitMessage, { details })
  if (isAt('/starting_after')) return invalidCursor({ details })
  return invalidFields(details, errors.every(isUnknown) ? 'unknown_field' : 'invalid_field')
}

const limitMessage = `limit must be a whole number from 1 to ${pageMax}.`

function paramsValidator(validate: ValidateFunction) {
  return (data: unknown) => {
    if (validate(data)) return { value: data }
    const [wrong] = describe(validate.errors ?? [], '')
    return { error: new AppError('not_found', `No such record: in the path ${wrong?.message}.`) }
  }
}

function queryValidator(
  validate: ValidateFunction,
  { properties = {} }: { properties?: Record<string, unknown> },
) {
  const paged = 'limit' in properties
  return (data: unknown) => {
    const query = data as Record<string, unknown>
    if (paged && query.limit !== undefined && !isLimit(query.limit)) {
      return {
        error: pageError('invalid_limit', 'limit', onceOr(query.limit, 'limit', limitMessage)),
      }
    }
    if (validate(query)) {
      // Ajv takes "1e309" for an integer, and its limits let Infinity pass.
      const endless = Object.keys(properties).find((known) => isEndless(query[known]))
      if (endless) return { error: invalidField(endless, `${endless} must be a number in digits`) }
      // No text of PostgreSQL holds it.
      const name = Object.keys(properties).find((known) => String(query[known]).includes('\0'))
      if (!name) return { value: query }
      return { error: invalidField(name, `${name} must not contain a NUL character`) }
    }
    const errors = validate.errors ?? []
    const cursor = errors.find((error) => error.instancePath === '/starting_after')
    if (paged && cursor) {
      const message = onceOr(cursor.data, 'starting_after', cursorMessage)
      return { error: pageError('invalid_cursor', 'starting_after', message) }
    }
    const details = describe(errors, '')
    const message = details[0]?.message ?? 'The query is not valid.'
    return { error: new AppError('invalid_field', message, { details }) }
  }
}

const onceOr = (given: unknown, name: string, message: string) =>
  Array.isArray(given) ? `${name} must be given once` : message

const pageError = (code: 'invalid_limit' | 'invalid_cursor', path: string, message: string) =>
  new AppError(code, message, { details: [{ path, message }] })

const isEndless = (value: unknown) => typeof value === 'number' && !Number.isFinite(value)

// Coercion alone would also take 1e1, 1.0, 0x10 and " 5".
const isLimit = (text: unknown) =>
  typeof text === 'string' && /^[1-9]\d{0,2}$/.test(text) && Number(text) <= pageMax

/** One more than are told says that there are more. */
function describe(errors: ErrorObject[], root: string): ErrorDetail[] {
  return errors
    .filter((error) => !isNoise(error) || errors.length === 1)
    .slice(0, detailsMax + 1)
    .map((error) => {
      const path = pathOf(error)
      const name = path.slice(1, 100).replaceAll('/', '.') || 'the body'
      const isInBody = root === '/'
      if (error.keyword === 'type' && Array.isArray(error.data) && !isInBody) {
        return { path: path.slice(1), message: `${name} must be given once` }
      }
      return { path: isInBody ? path : path.slice(1), message: sentence(name, error, isInBody) }
    })
}

/** What `Nullable` adds to the one error that tells. */
const isNoise = ({ keyword, params }: ErrorObject) =>
  keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const memberOf = (name: string) => `${instancePath}/${escapePointer(name)}`
  if (keyword === 'required') return memberOf(params.missingProperty)
  if (keyword === 'additionalProperties') return memberOf(params.additionalProperty)
  return instancePath
}

/** Never quotes the value: it may be a secret or a lead's data. */
function sentence(name: string, error: ErrorObject, isInBody: boolean): string {
  const { keyword, params, parentSchema, message } = error
  if (keyword === 'required') return `${name} is required`
  if (keyword === 'additionalProperties') {
    const accepted = Object.entries<{ readOnly?: boolean }>(parentSchema?.properties ?? {})
      .filter(([, { readOnly }]) => !readOnly)
      .map(([field]) => field)
    return `${name} is not a known field; accepted are ${accepted.join(', ')}`
  }
  if (keyword === 'type')
    return `${name} must be ${typesInWords([params.type].flat(), error, isInBody)}`
  if (keyword === 'minLength' && params.limit === 1) return `${name} must not be empty`
  if (keyword === 'maxLength') return `${name} must have at most ${params.limit} characters`
  const items = params.limit === 1 ? 'item' : 'items'
  if (keyword === 'minItems') return `${name} must have at least ${params.limit} ${items}`
  if (keyword === 'maxItems') return `${name} must have at most ${params.limit} ${items}`
  if (keyword === 'minimum') return `${name} must be at least ${params.limit}`
  if (keyword === 'maximum') return `${name} must be at most ${params.limit}`
  if (keyword === 'enum') return `${name} must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'pattern') return patternSentence(name, parentSchema)
  return `${name} ${message ?? 'is not valid'}`
}

function typesInWords(types: string[], { data }: ErrorObject, isInBody: boolean): string {
  const words = types.map((type) => typeWords[type] ?? type).join(' or ')
  const isCapital = !isInBody && /^(True|TRUE|False|FALSE)$/.test(String(data))
  return isCapital && types.includes('boolean') ? `${words}, in lower case` : words
}

const typeWords: Record<string, string> = {
  ...{ string: 'a string', number: 'a number', integer: 'a whole number' },
  ...{ boolean: 'true or false', array: 'an array', object: 'an object' },
}

function patternSentence(name: string, schema: Record<string, unknown> | undefined): string {
  if (schema?.['x-fold']) return `${name} must be a UUID`
  if (schema?.['x-trim']) return `${name} must not contain control characters`
  if (schema?.['x-form']) return `${name} must be ${schema['x-form']}`
  return `${name} does not have the right form`
}
