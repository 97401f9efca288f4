import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { captureStatements } from '../server/src/kernel/db/client.ts'

// Imported by a process before anything else: keeps in STATEMENT_COUNTS/PID how many statements it has
// sent, of all kinds, of those that look for work, by their table, and of hints.

const folder = process.env.STATEMENT_COUNTS ?? ''
const counts = { all: 0, discovery: {} as Record<string, number>, hints: 0 }

captureStatements((text) => {
  counts.all += 1
  if (text.includes('/* cross-workspace: discovery */') || text.includes(`kind = 'leader'`)) {
    const table = /\b(?:from|update)\s+(\w+)/.exec(text)?.[1] ?? ''
    counts.discovery[table] = (counts.discovery[table] ?? 0) + 1
  } else if (text.startsWith('select pg_notify')) counts.hints += 1
})

const file = join(folder, String(process.pid))
setInterval(() => {
  writeFileSync(`${file}.new`, JSON.stringify(counts))
  renameSync(`${file}.new`, file)
}, 250).unref()
