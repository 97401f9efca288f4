import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { exists, replaceFile } from '../files.ts'
import {
  type Account,
  chooseLauncher,
  type Launcher,
  listLaunchers,
  programEnvironment,
} from './launcher.ts'
import { choosePort } from './port.ts'
import type { Programs } from './programs.ts'

/** The files of one database below DATA_DIR. */
export interface Cluster {
  dataDir: string
  /** PostgreSQL's own data directory. */
  data: string
  /** The address of the database with its password: mode 0600, whole or absent. */
  urlFile: string
  logFile: string
}

export function clusterAt(dataDir: string): Cluster {
  const home = join(dataDir, 'postgres')
  return {
    dataDir,
    data: join(home, 'data'),
    urlFile: join(home, 'url'),
    logFile: join(home, 'server.log'),
  }
}

/**
 * How to run PostgreSQL on an existing cluster, which belongs to whoever made it. Root's own, such as a
 * backup that was put back, is given away where PostgreSQL can only run as somebody else.
 */
export async function openCluster(cluster: Cluster, programs: Programs): Promise<Launcher> {
  const { uid, gid } = await stat(cluster.data)
  const own = process.geteuid?.() ?? uid
  if (own !== 0 && own !== uid) throw new Error(belongsToAnother(cluster.dataDir, uid))
  const launchers = listLaunchers({ uid, gid })
  // What is another's until it is chosen cannot be entered: the directory above it then.
  const isGiven = ({ owner }: Launcher) => owner !== undefined && owner.uid !== uid
  const launcher = await chooseLauncher(launchers, programs.postgres, async (each) =>
    isGiven(each) ? dirname(cluster.data) : cluster.data,
  )
  if (!launcher) throw new Error(cannotRun(cluster.dataDir))
  if (isGiven(launcher)) await giveTree(cluster.data, launcher.owner)
  return launcher
}

/**
 * Made beside its place and moved there by one rename: a process killed half-way leaves nothing
 * that looks like a database, and of two first starts one wins.
 */
export async function createCluster(
  cluster: Cluster,
  programs: Programs,
  { durable, signal }: { durable: boolean; signal?: AbortSignal | undefined },
): Promise<void> {
  if (await exists(restoringAt(cluster.dataDir))) throw new Error(restoreBrokenOff(cluster))
  // 0711: PostgreSQL's account may have to pass through, nobody else needs to look.
  await mkdir(cluster.dataDir, { recursive: true, mode: 0o711 })
  const staging = await mkdtemp(join(cluster.dataDir, stagingPrefix))
  try {
    await chmod(staging, 0o711)
    await initialise(staging, cluster.dataDir, programs, durable, signal)
    await rename(staging, join(cluster.dataDir, 'postgres'))
  } catch (error) {
    await removeFolder(staging)
    if (await clusterExists(cluster)) return
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw new Error(urlIsLost(cluster))
    throw error
  }
}

export const clusterExists = (cluster: Cluster): Promise<boolean> => exists(cluster.urlFile)

/** Where a backup is put back before it takes its place. */
export const restoringAt = (dataDir: string) => join(dataDir, 'restoring')

const restoreBrokenOff = ({ dataDir }: Cluster) =>
  `A restore into DATA_DIR ${dataDir} was broken off: run the same "npx outrider backup restore FILE" again, or remove ${restoringAt(dataDir)} to begin with an empty database.`

/** What killed first starts left behind; for the owner of the database only. */
export async function removeUnfinished({ dataDir }: Cluster): Promise<void> {
  const names = await readdir(dataDir)
  const unfinished = names.filter((name) => name.startsWith(stagingPrefix))
  for (const name of unfinished) await removeFolder(join(dataDir, name))
}

/** Whoever made it may still write to it or remove it, too: then what is there changes meanwhile. */
const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 20 })

export async function readUrl(cluster: Cluster): Promise<URL> {
  const url = URL.parse((await readFile(cluster.urlFile, 'utf8')).trim())
  if (!url) throw new Error(urlIsLost(cluster))
  return url
}

/** Keeps the port that was taken, so that operator commands and the next start find it. */
export const writeUrl = (cluster: Cluster, url: URL): Promise<void> =>
  replaceFile(cluster.urlFile, `${url}\n`, (next) => giveToOwner(cluster, next))

/**
 * A command that root runs while the service of another user is down leaves nothing that the service
 * could not use.
 *
 * @param path made by this process, in the DATA_DIR of a database that is there
 */
export async function giveToOwner({ urlFile }: Cluster, path: string): Promise<void> {
  if (process.geteuid?.() === 0) await give(path, await stat(urlFile))
}

const stagingPrefix = 'postgres.new-'

async function initialise(
  staging: string,
  dataDir: string,
  programs: Programs,
  durable: boolean,
  signal: AbortSignal | undefined,
) {
  const data = join(staging, 'data')
  const password = randomBytes(24).toString('base64url')
  const passwordFile = join(staging, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  const handOver = async ({ owner }: Launcher) => {
    await give(data, owner)
    await give(passwordFile, owner)
    return data
  }
  const launcher = await chooseLauncher(listLaunchers(undefined), programs.postgres, handOver)
  if (!launcher) throw new Error(cannotRun(dataDir))

  const command = [...launcher.prefix, programs.initdb, ...initdbArguments(data, passwordFile)]
  const [program = programs.initdb, ...args] = durable ? command : [...command, '--no-sync']
  await promisify(execFile)(program, args, {
    cwd: '/',
    env: programEnvironment,
    ...launcher.spawnAs,
    ...(signal ? { signal } : {}),
  }).catch((error) => {
    signal?.throwIfAborted()
    throw new Error(`PostgreSQL could not make its files in DATA_DIR ${dataDir}: ${reason(error)}`)
  })
  await rm(passwordFile)
  const url = new URL(`postgres://outrider:${password}@127.0.0.1:${await choosePort()}/outrider`)
  await writeFile(join(staging, 'url'), `${url}\n`, { mode: 0o600, flush: true })
}

const initdbArguments = (data: string, passwordFile: string) => [
  `--pgdata=${data}`,
  `--pwfile=${passwordFile}`,
  '--username=outrider',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
]

/** The directory itself last: one that was not finished is begun anew. */
async function giveTree(path: string, owner: Account | undefined) {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries) await give(join(parentPath, name), owner)
  await give(path, owner)
}

async function give(path: string, owner: Account | undefined) {
  if (owner) await chown(path, owner.uid, owner.gid)
}

/** After what went wrong initdb tells how it cleans up. */
function reason({ stderr = '', message }: { stderr?: string; message: string }): string {
  const lines = stderr.trim().split('\n')
  if (/No space left|Disk quota/.test(stderr)) return 'the disk is full; make room.'
  return lines.findLast((line) => /error|fatal|could not/i.test(line)) ?? lines.at(-1) ?? message
}

const urlIsLost = ({ urlFile }: Cluster) =>
  `${urlFile} is missing or empty, and with it the password of the database: put it back from a backup of DATA_DIR.`

const belongsToAnother = (dataDir: string, uid: number) =>
  `The database in DATA_DIR ${dataDir} belongs to user number ${uid}: start as that user, give it to yours (chown -R), or set DATA_DIR to another directory.`

const cannotRun = (dataDir: string) =>
  process.geteuid?.() === 0
    ? `PostgreSQL refuses to run as root, and this system allows no way to run it as another user in DATA_DIR ${dataDir}: start as an ordinary user, set DATA_DIR to a directory outside root's home, or set DATABASE_URL.`
    : `PostgreSQL cannot be run in DATA_DIR ${dataDir}: run npm install again, set DATA_DIR to a directory of your own, or set DATABASE_URL.`
