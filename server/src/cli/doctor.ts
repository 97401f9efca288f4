import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { setPreparedStatements } from '../kernel/db/client.ts'
import { connect } from '../kernel/db/db.ts'
import type { Pooler } from '../kernel/db/pooler.ts'
import { checkDatabase } from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { examinePooler } from '../process/pooler.ts'
import { type CommandSettings, readCommandSettings } from '../process/service-settings.ts'
import { examineDatabase } from './doctor-database.ts'
import { examineMachine } from './doctor-machine.ts'
import { type Finding, fine, found, worstOf } from './finding.ts'
import { type OutputOptions, terminalLog, withOutput } from './operate.ts'
import { formatTable, print } from './terminal.ts'

export function doctorCommand(program: Command) {
  withOutput(program.command('doctor'))
    .description('Look for what is wrong and say what to do; exits with 1 when something fails')
    .action(async (options: OutputOptions) => {
      const checks = await examine()
      const status = worstOf(checks)
      print(options.json ? JSON.stringify({ status, checks }) : show(checks))
      if (status === 'fail') process.exitCode = 1
    })
}

async function examine(): Promise<Finding[]> {
  try {
    const settings = readCommandSettings()
    const { config } = settings
    return [judged(settings), ...(await examineMachine(config)), ...(await examineService(config))]
  } catch (error) {
    return [found('configuration', 'fail', (error as Error).message, 'Correct this variable.')]
  }
}

function judged({ startedAt, overridden }: CommandSettings): Finding {
  if (startedAt === undefined) return fine('settings', 'of this shell: no service has started here')
  const detail = `of the service that started at ${startedAt}`
  if (overridden.length === 0) return fine('settings', detail)
  const remedy = 'Unset them here to judge the service by its own.'
  return found(
    'settings',
    'warn',
    `${detail}, but this shell has its own ${overridden.join(', ')}`,
    remedy,
  )
}

async function examineService(config: Config): Promise<Finding[]> {
  try {
    await using database = await openDatabase(config, { log: terminalLog() })
    setPreparedStatements(config.databasePrepared)
    const { db } = connect(database.url, 2)
    try {
      await checkDatabase(db, database.url, urlVariable(config))
      const pooler = config.databaseUrl ? [await pooling(config, config.databaseUrl)] : []
      return [...pooler, ...(await examineDatabase(db, config, database.isOurs))]
    } finally {
      await db.destroy()
    }
  } catch (error) {
    const remedy = 'Without it nothing else can be checked.'
    return [found('database', 'fail', (error as Error).message, remedy)]
  }
}

const urlVariable = ({ databaseDirectUrl }: Config) =>
  databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'

async function pooling(config: Config, url: string): Promise<Finding> {
  const { pooler, trouble } = await examinePooler(config, url)
  if (trouble) return found('pooler', 'fail', modeOf(pooler), trouble)
  return fine('pooler', modeOf(pooler))
}

const modeOf = (pooler: Pooler | undefined) =>
  !pooler
    ? 'none'
    : `${pooler.mode} mode${pooler.keepsPrepared ? '' : ', without prepared statements'}`

const show = (checks: Finding[]) =>
  formatTable(
    ['status', 'check', 'finding', 'what to do'],
    checks.map(({ status, check, detail, remedy }) => [status, check, detail, remedy ?? ' ']),
  )
