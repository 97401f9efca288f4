import type { FastifyInstance } from 'fastify'
import { buildApi } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import { createKeyAsOperator } from '../src/features/keys/index.ts'
import { liveChannel } from '../src/features/live/index.ts'
import { createWorkspace, ensureDefaultWorkspace } from '../src/features/workspaces/index.ts'
import { listen } from '../src/kernel/db/listen.ts'
import { asService, type TestContext, testContext } from './context.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into arbitrary JSON
  body: any
}

export interface TestApi extends AsyncDisposable {
  app: FastifyInstance
  ctx: TestContext
  workspaceId: string
  /** A key with `all:*` in the default workspace. */
  key: string
  /** Sends one request through the whole HTTP kernel, without a socket. */
  call: (
    method: string,
    url: string,
    options?: {
      body?: unknown
      key?: string | null
      headers?: Record<string, string>
      /** That the request comes from. */
      address?: string
    },
  ) => Promise<Answer>
  createKey: (scopes: string[], workspaceId?: string) => Promise<string>
  /** A second workspace with its own key, to prove that it sees nothing. */
  createStranger: () => Promise<{ workspaceId: string; key: string }>
}

export async function testApi(overrides: Partial<Config> = {}): Promise<TestApi> {
  const ctx = await testContext(overrides)
  const workspace = await ensureDefaultWorkspace(ctx)
  const app = await buildTestApp(ctx)
  const createKey = async (scopes: string[], workspaceId = workspace.id) =>
    (await createKeyAsOperator(ctx, workspaceId, { name: 'test', scopes })).key
  const key = await createKey(['all:*'])
  return {
    app,
    ctx,
    workspaceId: workspace.id,
    key,
    createKey,
    async createStranger() {
      const stranger = await createWorkspace(ctx, `stranger ${ctx.newId()}`)
      return { workspaceId: stranger.id, key: await createKey(['all:*'], stranger.id) }
    },
    call: callOf(app, key),
    async [Symbol.asyncDispose]() {
      await app.close()
      await ctx[Symbol.asyncDispose]()
    },
  }
}

/** Another one of the same installation, as after a restart. */
export const buildTestApp = (ctx: TestContext): Promise<FastifyInstance> =>
  buildApi(asService(ctx), {
    listen: ({ message, gap }) => listen(ctx.database.url, liveChannel, message, ctx.log, gap),
  })

/** Requests through an application, with this key unless another is given. */
export const callOf =
  (app: FastifyInstance, key: string | null = null): TestApi['call'] =>
  async (method, url, options = {}) => {
    const bearer = options.key === undefined ? key : options.key
    const response = await app.inject({
      method: method as 'GET',
      url,
      remoteAddress: options.address ?? '127.0.0.1',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(Buffer.isBuffer(options.body) ? { 'content-type': 'application/octet-stream' } : {}),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { payload: options.body as object }),
    })
    const text = response.body
    const isJson = /^application\/json\b/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
    }
  }
