/** What this service writes and reads of an OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: string
  info: object
  servers: object[]
  tags: Tag[]
  paths: Record<string, PathItem>
  webhooks: Record<string, PathItem>
  components: Components
}

export interface Tag {
  name: string
  description: string
}

export type PathItem = { servers?: object[] } & { [M in Method]?: Operation }

export type Method = (typeof methods)[number]
const methods = ['get', 'post', 'patch', 'delete'] as const

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response | Reference>
  security?: Record<string, string[]>[]
  /** The switch of the plan that the operation needs. */
  'x-plan'?: string
  /** In the application: the least role, or who else may; open to everybody without it. */
  'x-role'?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

export interface Response {
  description: string
  headers?: Record<string, Reference>
  content?: Content
}

type Content = Record<
  string,
  { schema: JsonSchema; example?: unknown; examples?: Record<string, Example> }
>

interface Example {
  summary?: string
  value: unknown
}

export interface Components {
  schemas: Record<string, JsonSchema>
  responses?: Record<string, Response>
  headers?: Record<string, object>
  parameters?: Record<string, Parameter>
  securitySchemes?: Record<string, object>
}

export interface Reference {
  $ref: string
}

export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  description?: string
  examples?: unknown[]
  default?: unknown
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
  [keyword: string]: unknown
}

/** `Webhook` of `{$ref: '#/components/schemas/Webhook'}`. */
export const componentOf = (schema: JsonSchema | undefined) =>
  schema?.$ref?.slice('#/components/schemas/'.length)

/** Every operation of the paths, with where it is. */
export function* operationsOf(document: Pick<OpenApiDocument, 'paths'>) {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (operation) yield { path, item, method, operation }
    }
  }
}
