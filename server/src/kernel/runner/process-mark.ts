import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** What a runner writes beside its leases, so that a later one can tell for certain that it is gone. */
export interface ProcessMark {
  text: string
  /** False wherever that is not certain: those leases are waited out. */
  isGone: (other: string) => boolean
}

/**
 * The mark of this process. The owner of a DATA_DIR is alone with its lock, so every earlier owner is
 * gone. Any other process is found, or not, among those of its machine: the boot, the process
 * namespace (a container has its own), the number and the time of its start name it for good.
 * Connections to the database tell nothing here: a pooler keeps those of who is gone, and a failover
 * ends those of who is alive.
 *
 * @returns undefined where neither can be told
 */
export function markProcess({ ownsDataDir }: { ownsDataDir: boolean }): ProcessMark | undefined {
  const machine = nameMachine()
  const start = startOf(process.pid)
  const named = machine && typeof start === 'string' && `${machine} ${process.pid} ${start}`
  const text = ownsDataDir ? `${ownerPrefix}${randomUUID()}` : named
  if (!text) return undefined
  return {
    text,
    isGone(other) {
      if (other.startsWith(ownerPrefix)) return ownsDataDir && other !== text
      if (!machine || !other.startsWith(`${machine} `)) return false
      const [pid, started] = other.slice(machine.length + 1).split(' ')
      const found = startOf(Number(pid))
      return found !== hidden && found !== started
    },
  }
}

/** For a person: no mark has the name of its machine. */
export function describeMark(text: string): string {
  const [boot, , pid] = text.split(' ')
  if (pid === undefined) return text
  const machine = nameMachine()
  const isHere = machine !== undefined && text.startsWith(`${machine} `)
  return `process ${pid} on ${isHere ? 'this machine' : `the machine whose /proc/sys/kernel/random/boot_id is ${boot}`}`
}

const ownerPrefix = 'DATA_DIR '

function nameMachine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

/** A process that is there, and of which we may not read more. */
const hidden = Symbol('hidden')

/**
 * In clock ticks since the boot (proc_pid_stat(5), fields 3 and 22). Undefined: gone, or a zombie. Where
 * /proc is mounted with hidepid, processes of other users are missing in it, or cannot be read: whether
 * they are there is asked by a signal that does nothing.
 */
function startOf(pid: number): string | typeof hidden | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return /[ZX]/.test(fields[0] ?? '') ? undefined : fields[19]
  } catch {
    return isThere(pid) ? hidden : undefined
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
