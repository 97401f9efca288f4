import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import { expect, onTestFinished, test } from 'vitest'
import { settings } from '../openapi-ts.config.ts'

const committed = fileURLToPath(new URL('../src/api/generated', import.meta.url))

test('the client is what the document of the application says: "npm run openapi" makes it', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'outrider-client-'))
  onTestFinished(() => rmSync(fresh, { recursive: true }))
  const output = { ...settings.output, path: fresh }
  await createClient({ ...settings, output, logs: { level: 'silent' } })
  const files = readFiles(fresh)
  expect(Object.keys(files)).toContain('sdk.gen.ts')
  expect(files).toEqual(readFiles(committed))
}, 60_000)

function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  )
}
