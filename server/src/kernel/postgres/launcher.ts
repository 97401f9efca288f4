import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface Account {
  uid: number
  gid: number
}

/** One way to run PostgreSQL's programs, which refuse to run as root. */
export interface Launcher {
  /** Put before the program: `[...prefix, program, ...args]`. */
  prefix: string[]
  /** The account that Node itself starts the program as, where no tool does it. */
  spawnAs?: Account
  /** Who must own the data directory; absent: whoever runs node. */
  owner?: Account
}

/** Set where the caller's environment must not reach: secrets stay out, PGPORT and its like too. */
export const programEnvironment = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }

/**
 * The ways to try, best first. SIGINT on the death of the parent is PostgreSQL's fast shutdown, so
 * even a killed node process leaves a cleanly stopped database.
 *
 * @param dataOwner who owns the existing data directory; undefined before the first start
 */
export function listLaunchers(dataOwner: Account | undefined): Launcher[] {
  if (process.geteuid?.() !== 0) return [{ prefix: dieWithParent }, { prefix: [] }]
  if (dataOwner && dataOwner.uid !== 0) return drops(dataOwner)
  const ordinary = findOrdinaryAccount()
  return [mapped(ordinary), ...drops(ordinary)]
}

/** The first way that can enter the directory and run the program. */
export async function chooseLauncher(
  launchers: Launcher[],
  postgres: string,
  prepare: (launcher: Launcher) => Promise<string>,
): Promise<Launcher | undefined> {
  for (const launcher of launchers) {
    if (await works(launcher, postgres, await prepare(launcher))) return launcher
  }
  return undefined
}

const dieWithParent = ['setpriv', '--pdeathsig', 'INT']

/**
 * A user namespace in which root has another number: to PostgreSQL it is no root, to the kernel it
 * still owns root's files, so a home with mode 0700 is no obstacle.
 */
const mapped = ({ uid, gid }: Account): Launcher => ({
  prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, ...dieWithParent],
})

/**
 * Containers often forbid namespaces. Then root steps down to an ordinary account, if needed with
 * the one capability that lets it pass a directory with mode 0700 above the programs or the data.
 */
function drops(owner: Account): Launcher[] {
  const drop = [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--no-new-privs',
  ]
  const passing = [
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
  ]
  return [
    { prefix: [...drop, '--pdeathsig', 'INT'], owner },
    { prefix: [...drop, ...passing, '--pdeathsig', 'INT'], owner },
    { prefix: [], spawnAs: owner, owner },
  ]
}

/** initdb looks its account up by name, so the number must be one that the system knows. */
function findOrdinaryAccount(): Account {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , uid, gid]) => /^[1-9]\d*$/.test(uid ?? '') && /^\d+$/.test(gid ?? ''))
  const [, , uid, gid] = accounts.find(([name]) => name === 'nobody') ?? accounts[0] ?? []
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) }
}

async function works(launcher: Launcher, postgres: string, directory: string): Promise<boolean> {
  const [program = '/bin/sh', ...args] = [...launcher.prefix, '/bin/sh', '-c', enterAndRun]
  try {
    await promisify(execFile)(program, [...args, directory, postgres], {
      cwd: '/',
      env: programEnvironment,
      timeout: 10_000,
      ...launcher.spawnAs,
    })
    return true
  } catch {
    return false
  }
}

const enterAndRun = 'cd "$0" && exec "$1" --version'
