import { readFileSync } from 'node:fs'
import { defineConfig, type UserConfig } from '@hey-api/openapi-ts'

const file = new URL('../server/openapi.app.json', import.meta.url)

/** Which workspace a request is about is said by `src/api/client.ts`, and not by each call. */
function readDocument() {
  const document = JSON.parse(readFileSync(file, 'utf8'))
  document.components.parameters['X-Workspace-ID'].required = false
  return document
}

export const settings = {
  input: readDocument(),
  output: { path: 'src/api/generated', importFileExtension: '.ts' },
  parser: { pagination: { keywords: ['starting_after'] } },
  plugins: [
    { name: '@hey-api/client-fetch', baseUrl: false, throwOnError: true },
    '@hey-api/typescript',
    // The browser sends the session by itself.
    { name: '@hey-api/sdk', auth: false },
    // With its tags in each key, what the server says has changed can be read again by tag.
    { name: '@tanstack/react-query', queryKeys: { tags: true } },
  ],
} satisfies UserConfig

export default defineConfig(settings)
