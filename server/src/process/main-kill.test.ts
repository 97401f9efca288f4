import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { patience } from '../../test/patience.ts'
import { makeDataDirWithDatabase, operatorJson, startService } from '../../test/processes.ts'

test('kill -9 of the service, and then of its PostgreSQL, under load loses nothing that was answered, and the service goes on', async () => {
  const DATA_DIR = await makeDataDirWithDatabase()
  await using killed = startService('main', { DATA_DIR })
  const address = await killed.address()
  const key = await createKey(DATA_DIR)
  const first = createKeysWithoutEnd(address, key)
  await first.underWay
  killed.kill('SIGKILL')
  await first.ended

  await using service = startService('main', { DATA_DIR })
  const again = await service.address()
  const second = createKeysWithoutEnd(again, key)
  await second.underWay
  process.kill(await postmasterPid(DATA_DIR), 'SIGKILL')
  await second.ended
  await vi.waitFor(async () => expect((await fetch(`${again}/ready`)).status).toBe(200), patience)
  expect(await operatorJson(['doctor'], { DATA_DIR })).toMatchObject({ status: 'ok' })
  const { items } = await operatorJson(['keys', 'list'], { DATA_DIR })
  const kept = new Set(items.map(({ id }: { id: string }) => id))
  const created = [...first.created, ...second.created]
  expect(created.filter((id) => !kept.has(id))).toEqual([])
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
