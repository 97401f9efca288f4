import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { Config } from '../../server/src/config.ts'
import {
  type Components,
  componentOf,
  type JsonSchema,
  type Method,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Tag,
} from './document.ts'
import { type Codes, errorResponses } from './errors.ts'
import { headers, idempotencyParameter } from './headers.ts'
import { showSchemas, tidy } from './schemas.ts'
import { type WebhookDescription, webhookItem } from './webhooks.ts'

/** What the routes cannot tell. */
export interface ApiDescription {
  title: string
  /** Markdown. */
  description: string
  /** In the order of reading. */
  tags: Tag[]
  /** What the service sends to others, by type. */
  webhooks: Record<string, WebhookDescription>
  /** That no route has: of what is sent. */
  schemas: object[]
}

type SecuritySchemes = NonNullable<
  NonNullable<NonNullable<FastifyDynamicSwaggerOptions['openapi']>['components']>['securitySchemes']
>

/** Which routes a document holds, and what is said of each. */
export interface ApiSide {
  /** Under which name the app answers the document. */
  decorator: 'swagger' | 'applicationSwagger'
  has: (url: string, config: FastifyContextConfig) => boolean
  securitySchemes: SecuritySchemes
  codes: Codes
  workspaceParameter: Parameter
  /** Where campaigns and leads are served, when elsewhere. */
  apiUrl?: string
  complete: (
    method: Method,
    operation: Operation,
    config: FastifyContextConfig,
    schemas: Components['schemas'],
  ) => void
}

/**
 * Collects the routes of a side that are registered after it into an OpenAPI 3.1 document. The app
 * answers it by the name of the decorator, once it is ready.
 */
export async function collectOpenApi(
  app: FastifyInstance,
  config: Pick<Config, 'version' | 'baseUrl'>,
  about: ApiDescription,
  side: ApiSide,
) {
  for (const schema of about.schemas) if (!app.getSchema(idOf(schema))) app.addSchema(schema)
  const configs = new Map<string, FastifyContextConfig>()
  await app.register(swagger, {
    decorator: side.decorator,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        version: config.version,
        description: about.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: config.baseUrl }],
      tags: about.tags,
      components: { securitySchemes: side.securitySchemes },
      security: Object.keys(side.securitySchemes).map((name) => ({ [name]: [] })),
    },
    stripBasePath: false,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url, route }) => {
      const routeConfig = route.config ?? {}
      if (!side.has(url, routeConfig)) return { schema: { ...schema, hide: true }, url }
      configs.set(String(schema.operationId), routeConfig)
      return { schema, url }
    },
    transformObject: (collected) => {
      const document = (collected as unknown as { openapiObject: OpenApiDocument }).openapiObject
      complete(document, configs, side, about.webhooks)
      return document as object
    },
  })
}

const idOf = (schema: object) => String((schema as { $id?: string }).$id)

function complete(
  document: OpenApiDocument,
  configs: Map<string, FastifyContextConfig>,
  side: ApiSide,
  webhooks: ApiDescription['webhooks'],
) {
  const { components } = document
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, tidy(schema)]),
  )
  const { code } = components.schemas.Error?.properties ?? {}
  if (code) code.enum = Object.keys(side.codes)
  showSchemas(components)
  components.responses = errorResponses(side.codes)
  components.headers = headers
  components.parameters = {
    [side.workspaceParameter.name]: side.workspaceParameter,
    [idempotencyParameter.name]: idempotencyParameter,
  }
  for (const { item, method, operation } of operationsOf(document)) {
    const config = configs.get(operation.operationId)
    if (!config) throw new Error(`The operation ${operation.operationId} was not collected.`)
    side.complete(method, operation, config, components.schemas)
    // What the plan sells as API access has an address of its own (contract §1 "Addresses").
    const { entitlement } = config.access ?? {}
    if (side.apiUrl && entitlement === 'api') item.servers = [{ url: side.apiUrl }]
  }
  document.webhooks = Object.fromEntries(
    Object.entries(webhooks).map(([type, webhook]) => [
      type,
      webhookItem(type, webhook, components.schemas),
    ]),
  )
  document.tags = document.tags.filter(isUsed(document))
  dropUnused(document)
}

/** Components that no operation leads to: every document is given those of all features. */
function dropUnused(document: OpenApiDocument) {
  const { schemas } = document.components
  const used = new Set<string>()
  const look = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const name = componentOf(value as JsonSchema)
    if (name && !used.has(name)) {
      used.add(name)
      look(schemas[name])
    }
    for (const member of Object.values(value)) look(member)
  }
  look([document.paths, document.webhooks, document.components.responses])
  document.components.schemas = Object.fromEntries(
    Object.entries(schemas).filter(([name]) => used.has(name)),
  )
}

/** Features come one by one; a tag waits for the first operation that has it. */
function isUsed(document: OpenApiDocument) {
  const used = [
    ...[...operationsOf(document)].map(({ operation }) => operation),
    ...Object.values(document.webhooks).map(({ post }) => post),
  ].flatMap((operation) => operation?.tags ?? [])
  return (tag: Tag) => used.includes(tag.name)
}
