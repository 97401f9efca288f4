import module from 'node:module'
import { fileURLToPath } from 'node:url'

// What Node makes of the sources is kept, as by the commands: half of what a start takes.
module.enableCompileCache(
  fileURLToPath(new URL('../../node_modules/.cache/outrider', import.meta.url)),
)
const { serve } = await import('./process/serve.ts')
await serve('main')
