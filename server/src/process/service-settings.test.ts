import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDataDir } from '../../test/processes.ts'
import { readCommandSettings, writeServiceSettings } from './service-settings.ts'

const startedAt = new Date('2026-03-02T08:00:00Z')

test('a command in another shell goes by the settings of the service, and says where it does not', async () => {
  const DATA_DIR = await makeDataDir()
  const service = { DATA_DIR, PORT: '4000', BASE_URL: 'https://a.example.com', HOST: '0.0.0.0' }
  await writeServiceSettings(DATA_DIR, startedAt, service)
  const bare = readCommandSettings({ DATA_DIR, BASE_URL: '' })
  expect(bare.config).toMatchObject({
    ...{ port: 4000, baseUrl: 'https://a.example.com', outbound: { mode: 'public' } },
  })
  expect(bare).toMatchObject({ startedAt: startedAt.toISOString(), overridden: [] })
  const own = readCommandSettings({ DATA_DIR, PORT: '5000', HOST: '0.0.0.0' })
  expect(own.config.port).toBe(5000)
  expect(own.overridden).toEqual(['PORT'])
})

test('the first start makes the directory that they are written to', async () => {
  const DATA_DIR = join(await makeDataDir(), 'new')
  await writeServiceSettings(DATA_DIR, startedAt, { PORT: '4000' })
  expect(readCommandSettings({ DATA_DIR }).config.port).toBe(4000)
})

test('no secret is written down, and what is lacking is named', async () => {
  const DATA_DIR = await makeDataDir()
  const OUTRIDER_SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  const DATABASE_URL = 'postgres://u:hidden@127.0.0.1/x'
  await writeServiceSettings(DATA_DIR, startedAt, { DATABASE_URL, OUTRIDER_SECRET_KEY })
  const file = join(DATA_DIR, 'server.json')
  const text = await readFile(file, 'utf8')
  for (const value of ['hidden', OUTRIDER_SECRET_KEY]) expect(text).not.toContain(value)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(() => readCommandSettings({ DATA_DIR })).toThrow(
    'DATABASE_URL and OUTRIDER_SECRET_KEY, which are not set here: set them alike.',
  )
})

test('a database or a key that the service does not have is said to be of this shell', async () => {
  const DATA_DIR = await makeDataDir()
  const DATABASE_URL = 'postgres://127.0.0.1/staging'
  const OUTRIDER_SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  await writeServiceSettings(DATA_DIR, startedAt, {})
  const shell = { DATA_DIR, DATABASE_URL, OUTRIDER_SECRET_KEY }
  expect(readCommandSettings(shell).overridden).toEqual(['DATABASE_URL', 'OUTRIDER_SECRET_KEY'])
  await writeServiceSettings(DATA_DIR, startedAt, { DATABASE_URL, OUTRIDER_SECRET_KEY })
  expect(readCommandSettings(shell).overridden).toEqual([])
})
