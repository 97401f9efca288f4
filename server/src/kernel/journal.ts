import { fstatSync } from 'node:fs'

/**
 * Whether a stream of this process ends in systemd's journal (systemd.exec(5), `JOURNAL_STREAM`).
 *
 * @param journalStream the variable: device and inode of that stream
 */
export function endsInJournal(fd: 1 | 2, journalStream: string | undefined): boolean {
  if (!journalStream) return false
  try {
    const { dev, ino } = fstatSync(fd)
    return journalStream === `${dev}:${ino}`
  } catch {
    return false
  }
}

/** Of a level of pino: the priority that the journal takes from the beginning of a line (sd-daemon(3)). */
export const priorities: Record<string, string> = {
  '10': '<7>',
  '20': '<7>',
  '30': '<6>',
  '40': '<4>',
  '50': '<3>',
  '60': '<2>',
}
