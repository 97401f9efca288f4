import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { connect } from '../kernel/db/db.ts'
import { checkDatabase } from '../process/database.ts'
import { openDatabase } from '../process/open.ts'
import { examineDatabase } from './doctor-database.ts'
import { examineMachine } from './doctor-machine.ts'
import { type Finding, found, worstOf } from './finding.ts'
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
    const config = readConfig()
    return [...(await examineMachine(config)), ...(await examineService(config))]
  } catch (error) {
    return [found('configuration', 'fail', (error as Error).message, 'Correct this variable.')]
  }
}

async function examineService(config: Config): Promise<Finding[]> {
  try {
    await using database = await openDatabase(config, { log: terminalLog() })
    const { db } = connect(database.url, 2)
    try {
      await checkDatabase(db, database.url)
      return await examineDatabase(db, config, database.isOurs)
    } finally {
      await db.destroy()
    }
  } catch (error) {
    const remedy = 'Without it nothing else can be checked.'
    return [found('database', 'fail', (error as Error).message, remedy)]
  }
}

const show = (checks: Finding[]) =>
  formatTable(
    ['status', 'check', 'finding', 'what to do'],
    checks.map(({ status, check, detail, remedy }) => [status, check, detail, remedy ?? ' ']),
  )
