import { readConfig } from '../server/src/config.ts'
import { importFile } from '../server/src/features/directory/import/import.ts'
import { createLog } from '../server/src/kernel/log.ts'
import { openOperator } from '../server/src/process/open.ts'

// An import in a process of its own, as its command runs it. Argument: the file. Prints what came of it.

const [path = ''] = process.argv.slice(2)
await using opened = await openOperator(readConfig(), {
  log: createLog('error'),
})
const startedMs = performance.now()
const { contacts_created, companies_created, rejected } = await importFile(opened.ctx, path, {
  map: new Map(),
  kind: undefined,
  encoding: 'utf-8',
  report: `${path}.rejected.csv`,
  onProgress: () => undefined,
})
const seconds = (performance.now() - startedMs) / 1000
const { userCPUTime, systemCPUTime } = process.resourceUsage()
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6
const peakBytes = 1024 * process.resourceUsage().maxRSS
process.stdout.write(
  JSON.stringify({ seconds, cpuSeconds, peakBytes, contacts_created, companies_created, rejected }),
)
