/**
 * How many times as long this thread's processor takes right now as the one does on which limits in
 * milliseconds are set: a small server of its own. At least 1, so that a faster machine hides nothing.
 * Rented machines differ by half from day to day, and no test may fail for that.
 */
export function slowness(): number {
  work()
  const startedMs = processorMs()
  // So many that the clock, which may tell only every 4 ms, is right to a tenth.
  for (let round = 0; round < rounds; round++) work()
  return Math.max(1, (processorMs() - startedMs) / rounds / usualMs)
}

const rounds = 20

/** What `work` takes on two cores that have nothing else to do, on most days. */
const usualMs = 2.5

const people = Array.from({ length: 2000 }, (_, at) => ({
  email: `ada.${at}@lead.example`,
  place: (at * 7919) % 2000,
  tags: [`a${at}`, `b${at}`, `c${at}`],
}))

/** Objects, texts and a sort, as what is measured consists of. */
function work() {
  const copies: typeof people = JSON.parse(JSON.stringify(people))
  copies.sort((a, b) => a.place - b.place)
  return copies.map(({ email }) => email.split('@')[0]?.toUpperCase()).join(',')
}

/** Of processor time that this thread has used so far. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
