import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config.ts'
import { runDemo } from '../demo/demo.ts'
import { peopleMin } from '../demo/people/character.ts'
import { listenForStop } from '../process/shutdown.ts'
import { parseAtLeastOne } from './arguments.ts'
import { terminalLog, withOutput } from './operate.ts'
import { print } from './terminal.ts'

export function demoCommand(program: Command) {
  withOutput(program.command('demo'))
    .description('Show the whole product at work in a sandbox that is gone afterwards')
    .option('--leads <count>', `made-up people, ${peopleMin} to ${leadsMax}`, parseLeads, 400)
    .option('--port <port>', 'of the API; without it, one that is free', parsePort)
    .option('--until-done', 'end once every kind of event was delivered and verified')
    .option('--database <url>', 'a PostgreSQL on which to make its database, not the embedded one')
    .action(demo)
}

interface DemoCommandOptions {
  json?: boolean
  leads: number
  port?: number
  untilDone?: boolean
  database?: string
}

async function demo({
  leads,
  port,
  untilDone = false,
  json = false,
  database,
}: DemoCommandOptions) {
  const stop = listenForStop()
  const databases = { given: database, configured: readConfig().databaseUrl }
  try {
    const options = { leads, port, untilDone, json, databases, log: terminalLog() }
    const { events, missing, seconds } = await runDemo(options, stop)
    const isComplete = missing.length === 0
    if (json) print(JSON.stringify({ events, ...(isComplete ? {} : { missing }), seconds }))
    if (!isComplete) process.exitCode = 1
  } catch (error) {
    // A sandbox that was called off has nothing to report.
    if (!stop.signal.aborted) throw error
  }
  if (!json) print('\n  SANDBOX · it is gone, and everything in it.\n')
}

function parseLeads(text: string): number {
  const count = parseAtLeastOne(text)
  if (count >= peopleMin && count <= leadsMax) return count
  throw new InvalidArgumentError(`It must be from ${peopleMin} to ${leadsMax}.`)
}

/** More than its mailboxes can write to in three weeks. */
const leadsMax = 1000

function parsePort(text: string): number {
  const port = parseAtLeastOne(text)
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be a port.')
}
