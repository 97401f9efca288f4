import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { patience } from '../../test/patience.ts'
import { makeDataDir, operatorJson, startService } from '../../test/processes.ts'

test('kill -9 under load and a restart lose nothing that was answered', async () => {
  const DATA_DIR = await makeDataDir()
  await using killed = startService('main', { DATA_DIR })
  const load = createKeysWithoutEnd(await killed.address(), await createKey(DATA_DIR))
  await load.underWay
  killed.kill('SIGKILL')
  await load.ended
  await using restarted = startService('main', { DATA_DIR })
  await restarted.address()
  const { items } = await operatorJson(['keys', 'list'], { DATA_DIR })
  const kept = new Set(items.map(({ id }: { id: string }) => id))
  expect(load.created.filter((id) => !kept.has(id))).toEqual([])
})

test('the service outlives its PostgreSQL and goes on when it is back', async () => {
  const DATA_DIR = await makeDataDir()
  await using service = startService('main', { DATA_DIR })
  const address = await service.address()
  const load = createKeysWithoutEnd(address, await createKey(DATA_DIR))
  await load.underWay
  process.kill(await postmasterPid(DATA_DIR), 'SIGKILL')
  await load.ended
  await vi.waitFor(async () => expect((await fetch(`${address}/ready`)).status).toBe(200), patience)
  expect(await operatorJson(['doctor'], { DATA_DIR })).toMatchObject({ status: 'ok' })
  service.kill('SIGTERM')
  expect(await service.exited).toEqual({ code: 0, signal: null })
})

async function createKey(DATA_DIR: string): Promise<string> {
  const args = ['keys', 'create', '--name', 'load', '--scopes', 'all:*']
  return (await operatorJson(args, { DATA_DIR })).key
}

/** Several clients at once, each until its first failure; `underWay` once 40 keys are made. */
function createKeysWithoutEnd(address: string, key: string) {
  const created: string[] = []
  const { promise: underWay, resolve, reject } = Promise.withResolvers<void>()
  const client = async () => {
    for (;;) {
      const answer = await fetch(`${address}/oauth/service-accounts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'made under load', scopes: ['leads:read'] }),
      }).catch(() => undefined)
      if (answer?.status !== 201) return
      created.push(((await answer.json()) as { id: string }).id)
      if (created.length === 40) resolve()
    }
  }
  const ended = Promise.allSettled([1, 2, 3, 4].map(client))
  void ended.then(() => reject(new Error('the load ended early')))
  return { created, underWay, ended }
}

async function postmasterPid(dataDir: string): Promise<number> {
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  return Number((await readFile(file, 'utf8')).split('\n')[0])
}
