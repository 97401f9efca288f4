import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../server/src/config.ts'
import type { Access } from '../../server/src/kernel/http/access.ts'
import { ErrorBody } from '../../server/src/kernel/http/schema.ts'
import { type OpenApiDocument, operationsOf, type Tag } from './document.ts'
import { errorResponses } from './errors.ts'
import { headers, idempotencyParameter, workspaceParameter } from './headers.ts'
import { completeOperation } from './operations.ts'
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

/**
 * Collects every route registered after it that declares its access into an OpenAPI 3.1 document.
 * `app.swagger()` answers it, once the app is ready.
 */
export async function collectOpenApi(
  app: FastifyInstance,
  config: Pick<Config, 'version' | 'baseUrl' | 'apiUrl'>,
  about: ApiDescription,
) {
  for (const schema of [ErrorBody, ...about.schemas]) app.addSchema(schema)
  const accesses = new Map<string, Access>()
  await app.register(swagger, {
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
      components: {
        securitySchemes: {
          serviceAccountKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'ork_…',
            description: 'A service-account key: `Authorization: Bearer ork_…`.',
          },
        },
      },
      security: [{ serviceAccountKey: [] }],
    },
    stripBasePath: false,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access
      if (!access) return { schema: { ...schema, hide: true }, url }
      accesses.set(String(schema.operationId), access)
      return { schema, url }
    },
    transformObject: (collected) => {
      const document = (collected as unknown as { openapiObject: OpenApiDocument }).openapiObject
      complete(document, accesses, config, about.webhooks)
      return document as object
    },
  })
}

function complete(
  document: OpenApiDocument,
  accesses: Map<string, Access>,
  { apiUrl }: Pick<Config, 'apiUrl'>,
  webhooks: ApiDescription['webhooks'],
) {
  const { components } = document
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, tidy(schema)]),
  )
  showSchemas(components)
  components.responses = errorResponses()
  components.headers = headers
  components.parameters = {
    [workspaceParameter.name]: workspaceParameter,
    [idempotencyParameter.name]: idempotencyParameter,
  }
  for (const { item, method, operation } of operationsOf(document)) {
    const access = accesses.get(operation.operationId)
    if (!access) throw new Error(`The operation ${operation.operationId} declares no access.`)
    completeOperation(method, operation, access, components.schemas)
    // What the plan sells as API access has an address of its own (contract §1 "Addresses").
    if (access.entitlement === 'api') item.servers = [{ url: apiUrl }]
  }
  document.webhooks = Object.fromEntries(
    Object.entries(webhooks).map(([type, webhook]) => [
      type,
      webhookItem(type, webhook, components.schemas),
    ]),
  )
  document.tags = document.tags.filter(isUsed(document))
}

/** Features come one by one; a tag waits for the first operation that has it. */
function isUsed(document: OpenApiDocument) {
  const used = [
    ...[...operationsOf(document)].map(({ operation }) => operation),
    ...Object.values(document.webhooks).map(({ post }) => post),
  ].flatMap((operation) => operation?.tags ?? [])
  return (tag: Tag) => used.includes(tag.name)
}
