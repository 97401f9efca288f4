import { type Profiler, Session } from 'node:inspector'

// V8 is asked whether a function was run, never how often: counting keeps it from optimising, and
// made the whole run a quarter slower, some loops twenty times. All files of a worker ask in one session:
// V8 throws away what it has optimised whenever one begins.

let session: Session | undefined

export function startCoverage(): void {
  if (session) return
  session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false })
}

/** What this process has run and no earlier call has told of. */
export function takeCoverage(): Profiler.ScriptCoverage[] {
  let taken: Profiler.ScriptCoverage[] = []
  session?.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    taken = result
  })
  return taken
}
