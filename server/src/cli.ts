#!/usr/bin/env node
import { runCli } from './cli/run.ts'

// Whoever reads may stop reading: `outrider keys list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await runCli(process.argv)
