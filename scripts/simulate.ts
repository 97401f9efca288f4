// Runs the simulation with the flags that it has in the benches, too.
import { fileURLToPath } from 'node:url'
import programs from '../server/v8-flags.json' with { type: 'json' }

const program = fileURLToPath(new URL('../server/test/simulation/run.ts', import.meta.url))
const args = [...programs.simulation.flags, program, ...process.argv.slice(2)]
process.execve?.(process.execPath, [process.execPath, ...args], process.env)
