import { spawnSync } from 'node:child_process'

/** Runs a program to which /proc says nothing of a process, as where it is mounted with hidepid. */
export const runWithoutEntry = (pid: number | undefined, program: string, ...args: string[]) =>
  spawnSync(
    'unshare',
    [
      ...['--user', '--map-root-user', '--mount', 'sh', '-c'],
      `mount -t tmpfs none /proc/${pid} && exec "$0" "$@"`,
      ...[process.execPath, '--input-type=module', '-e', program, ...args],
    ],
    { encoding: 'utf8' },
  )

/** Needs namespaces for users, which not every system allows. */
export const canHide = runWithoutEntry(process.pid, '').status === 0
