import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { locateDefaultWorkspace, locateWorkspace } from '../features/workspaces/index.ts'
import { type Context, inWorkspace, type ProcessContext } from '../kernel/context.ts'
import { bringStandbyBack, findAwayStandby, standbyIsAway } from '../kernel/db/away-standby.ts'
import { AppError } from '../kernel/errors.ts'
import { createLog, type Log } from '../kernel/log.ts'
import { type LeavingOut, openOperator } from '../process/open.ts'
import { readCommandSettings } from '../process/service-settings.ts'
import { print, tell } from './terminal.ts'

export interface OutputOptions {
  json?: boolean
}

export interface WorkspaceOptions extends OutputOptions {
  workspace?: string | undefined
}

export const withOutput = (command: Command) =>
  command.option('--json', 'print JSON and nothing else')

export const withWorkspace = (command: Command) =>
  withOutput(command).option(
    '--workspace <workspace>',
    'id or name of the workspace; without it the one named default, or the only one',
  )

/** Does one thing on the database of the service and shows what came of it. */
export async function operate<T>(
  options: OutputOptions & LeavingOut,
  work: (ctx: ProcessContext) => Promise<T>,
  show: (result: T) => string,
): Promise<void> {
  const { config } = readCommandSettings()
  using _standby = tellOfAwayStandby(config)
  await using opened = await openOperator(config, {
    log: terminalLog(),
    leavesOutUnusable: options.leavesOutUnusable ?? false,
  })
  const result = await work(opened.ctx)
  // What writes to standard output itself has nothing more to say there.
  if (result !== undefined) print(options.json ? JSON.stringify(result) : show(result))
}

/** A change that waits for a standby is ended by nobody, and says nothing by itself. */
export function tellOfAwayStandby(config: Config): Disposable {
  const others = config.databaseShards.map(({ url, directUrl }) => {
    return { ...config, databaseUrl: url, databaseDirectUrl: directUrl }
  })
  let isOver = false
  const look = async (database: Config) => {
    const names = await findAwayStandby(database).catch(() => undefined)
    if (names === undefined || isOver) return
    isOver = true
    tell(`${standbyIsAway(names)} ${bringStandbyBack}`)
  }
  const timer = setInterval(() => {
    if (!isOver) void Promise.all([config, ...others].map(look))
  }, standbyLookMs)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearInterval(timer)
    },
  }
}

const standbyLookMs = 5_000

export const operateIn = <T>(
  options: WorkspaceOptions,
  work: (ctx: Context, workspaceId: string) => Promise<T>,
  show: (result: T) => string,
): Promise<void> => operate(options, (ctx) => inNamed(ctx, options.workspace, work), show)

/** @param workspace its id or name; undefined: the default one */
export async function inNamed<T>(
  ctx: ProcessContext,
  workspace: string | undefined,
  work: (ctx: Context, workspaceId: string) => Promise<T>,
): Promise<T> {
  const { ctx: shard, found } = await (workspace === undefined
    ? locateDefaultWorkspace(ctx)
    : locateWorkspace(ctx, workspace))
  return work(inWorkspace(shard, found.id), found.id)
}

/** @throws AppError with what to do when there is no such shard, or it does not answer */
export function getShard({ shards }: ProcessContext, name: string): ProcessContext {
  if (shards) return shards.byName(name).ctx
  throw new AppError('not_found', 'There is one database, without shards: leave the shard out.')
}

/** A person reads along: sentences instead of JSON, and only what is out of the ordinary. */
export const terminalLog = (): Log =>
  createLog('warn', {
    destination: { write: (line) => tell((JSON.parse(line) as { msg: string }).msg) },
  })
