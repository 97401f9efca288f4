import { readFile, writeFile } from 'node:fs/promises'

/** The most memory that a process had resident since it began or `forgetPeak` (proc(5), VmHWM). */
export async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** From now on the peak is counted anew, from what the process has resident. */
export const forgetPeak = (pid: number) => writeFile(`/proc/${pid}/clear_refs`, '5')
