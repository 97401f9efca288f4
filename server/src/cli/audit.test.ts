import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestApi, testApi } from '../../test/app.ts'
import { json, run } from '../../test/commands.ts'

let api: TestApi
beforeEach(async () => {
  api = await testApi()
  vi.stubEnv('DATABASE_URL', api.ctx.database.url)
  vi.stubEnv('OUTRIDER_SECRET_KEY', randomBytes(32).toString('base64'))
  vi.stubEnv('DATA_DIR', '/nowhere')
  vi.stubEnv('BASE_URL', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await api[Symbol.asyncDispose]()
})

test('the operator reads who did what, by kind and by page, without a gap', async () => {
  const names = ['one', 'two', 'three']
  for (const name of names) await run('labels', 'create', '--name', name)

  const { items } = await json('audit', 'list', '--action', 'label.')
  expect(items.map(({ action }: { action: string }) => action)).toEqual(
    names.map(() => 'label.created'),
  )
  const byKeys = await json('audit', 'list', '--actor-type', 'key', '--action', 'label.')
  expect(byKeys.items).toEqual([])

  const first = await run('audit', 'list', '--action', 'label.', '--limit', '2')
  const [, before = ''] = /--before (\S+)/.exec(first.stdout) ?? []
  const rest = await json('audit', 'list', '--action', 'label.', '--before', before)
  expect(rest.items).toEqual([items[2]])
  expect(first.stdout).toContain('label.created')
  expect((await run('audit', 'list', '--actor-id', items[2].id)).stdout).toBe(
    'There is no such entry.\n',
  )
})
