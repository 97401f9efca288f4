import { appendFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { startCoverage, takeCoverage } from './coverage.ts'
import { type NotedFunction, queryFile } from './query-functions.ts'

// A set-up file: notes which functions of query files the tests have run, for `check-functions.ts`.

const server = fileURLToPath(new URL('../../', import.meta.url))
const { FUNCTIONS_FILE } = process.env
if (FUNCTIONS_FILE) {
  startCoverage()
  afterAll(() => noteFunctions(FUNCTIONS_FILE))
}

function noteFunctions(to: string) {
  const noted = takeCoverage().flatMap(({ url, functions }) => {
    const file = relative(server, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!queryFile.test(file)) return []
    // A file may hold nothing but statements.
    const itself: NotedFunction = { file, name: 'the module', start: -1, wasRun: true }
    return [itself, ...functionsOf(file, functions)]
  })
  appendFileSync(to, noted.map((each) => `${JSON.stringify(each)}\n`).join(''))
}

function functionsOf(file: string, functions: Profiler.FunctionCoverage[]): NotedFunction[] {
  const named: { name: string; start: number; end: number }[] = []
  return functions.flatMap(({ functionName, ranges: [range] }) => {
    if (!range) return []
    const { startOffset: start, endOffset: end, count } = range
    // V8 lists a function before those within it.
    const name = functionName || named.findLast((each) => each.end >= end)?.name || ''
    if (functionName) named.push({ name: functionName, start, end })
    // The module itself and the getters that vitest adds have no name, nor has what stands in a function
    // that an earlier test file ran: the line of that file has it.
    return name || count > 0 ? [{ file, name, start, wasRun: count > 0 }] : []
  })
}
