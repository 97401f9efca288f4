// A process that moves a workspace: node mover.ts SOURCE_URL TARGET_URL WORKSPACE_ID KILL_AT_STEP.
import { flushCompileCache } from 'node:module'
import pino from 'pino'
import { readConfig } from '../src/config.ts'
import { moveWorkspace } from '../src/features/moves/index.ts'
import { createContext } from '../src/kernel/create-context.ts'
import { createSecretBox } from '../src/kernel/crypto.ts'
import { connect } from '../src/kernel/db/db.ts'
import type { Log } from '../src/kernel/log.ts'

const [sourceUrl = '', targetUrl = '', workspaceId = '', killAt] = process.argv.slice(2)

const contextOf = (url: string) =>
  createContext({
    config: readConfig({}),
    db: connect(url, 6).db,
    secrets: createSecretBox([Buffer.alloc(32)]),
    log: pino({ level: 'silent' }) as Log,
  })

await moveWorkspace(contextOf(sourceUrl), contextOf(targetUrl), workspaceId, {
  ...{ sourceName: 'a', targetName: 'b', restMs: 0 },
  onProgress({ step }) {
    if (step !== killAt) return
    // Whoever is killed writes no modules for the next one.
    flushCompileCache()
    process.kill(process.pid, 'SIGKILL')
  },
})
process.exit(0)
