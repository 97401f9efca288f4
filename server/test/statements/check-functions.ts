// Names each function of a query file that no test has run: a statement that never ran against
// PostgreSQL is a guess. Reads what `functions-run.ts` noted in FUNCTIONS_FILE.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type NotedFunction, queryFile } from './query-functions.ts'

const server = fileURLToPath(new URL('../../', import.meta.url))
const noted = new Map<string, NotedFunction>()
for (const line of readFileSync(process.env.FUNCTIONS_FILE ?? '', 'utf8').split('\n')) {
  if (line === '') continue
  const each: NotedFunction = JSON.parse(line)
  const key = `${each.file} ${each.start}`
  const before = noted.get(key)
  const wasRun = each.wasRun || before?.wasRun === true
  noted.set(key, { ...each, name: each.name || (before?.name ?? ''), wasRun })
}
const all = [...noted.values()].filter(({ name }) => name)
const loaded = new Set(all.map(({ file }) => file))
const neverLoaded = globSync('src/**/*queries.ts', { cwd: server }).filter(
  (file) => queryFile.test(file) && !loaded.has(file),
)
const neverRun = all.filter(({ wasRun }) => !wasRun)
for (const file of neverLoaded) console.error(`No test loads ${file}.`)
for (const { file, name } of neverRun) console.error(`No test runs all of ${name} in ${file}.`)
console.log(`${all.length - neverRun.length} of ${all.length} functions of query files were run.`)
process.exitCode = neverLoaded.length + neverRun.length > 0 || all.length === 0 ? 1 : 0
