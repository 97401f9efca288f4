import {
  openSimulationDatabase,
  type SimulationDatabase,
} from '../server/test/simulation/engine/database.ts'
import { simulate } from '../server/test/simulation/engine/simulate.ts'
import { sending } from '../server/test/simulation/sending/scenario.ts'

// Simulated histories of sending in a process of its own, over a database of its own. Arguments: the
// first seed and how many. Prints the statements/s, and those of one bare connection before and after.

const [first = '1', runs = '1'] = process.argv.slice(2)
const bareMs = 1_000

await using database = await openSimulationDatabase(sending)
const before = await measureBare(database)
const startedMs = performance.now()
let statements = 0
for (let seed = Number(first); seed < Number(first) + Number(runs); seed++) {
  const verdict = await simulate(database, sending, seed)
  if (verdict.violations.length > 0) throw new Error(`seed ${seed} broke a promise`)
  statements += verdict.statements
}
const perSecond = statements / ((performance.now() - startedMs) / 1000)
const bare = (before + (await measureBare(database))) / 2
process.stdout.write(JSON.stringify({ perSecond, bare }))

/** Of the same connection and the same server: an answer for a prepared statement that reads a row. */
async function measureBare({ backends }: SimulationDatabase): Promise<number> {
  const backend = await backends.open()
  const startedMs = performance.now()
  let count = 0
  for (; performance.now() - startedMs < bareMs; count++) {
    await backend.run('select id from workspaces where name = $1', ['a'])
  }
  const seconds = (performance.now() - startedMs) / 1000
  await backends.terminate(backend)
  return count / seconds
}
