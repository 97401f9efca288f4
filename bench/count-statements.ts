import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { captureStatements } from '../server/src/kernel/db/client.ts'

// Imported by a process before anything else: keeps in STATEMENT_COUNTS/PID how many statements it has
// sent, of all kinds, and of those that look for work.

const folder = process.env.STATEMENT_COUNTS ?? ''
const counts = { all: 0, discovery: 0, hints: 0 }

captureStatements((text) => {
  counts.all += 1
  if (text.includes('/* cross-workspace: discovery */') || text.includes(`kind = 'leader'`)) {
    counts.discovery += 1
  } else if (text.startsWith('select pg_notify')) counts.hints += 1
})

const file = join(folder, String(process.pid))
setInterval(() => {
  writeFileSync(`${file}.new`, JSON.stringify(counts))
  renameSync(`${file}.new`, file)
}, 250).unref()
