import type { Backends } from './backends.ts'
import type { Chronicle } from './chronicle.ts'
import type { DatabaseServer, Result } from './database-server.ts'
import type { Call } from './pool.ts'
import type { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Receivers } from './receivers.ts'
import type { Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'
import type { Weather } from './weather.ts'

/** What the simulated processes live in. */
export interface World {
  scheduler: Scheduler
  trace: Trace
  random: Random
  weather: Weather
  backends: Backends
  server: DatabaseServer
  receivers: Receivers
  chronicle: Chronicle
  /** Those that are alive. */
  processes: Set<SimulatedProcess>
  /** After each statement of a transaction, its COMMIT included: what may go wrong just then. */
  tempt: ((process: SimulatedProcess) => void) | undefined
  /** Stands between the code under test and the database. */
  fault: ((call: Call) => Promise<Result>) | undefined
}
