/** How far long work has come. */
export interface Step {
  /** In the plural, such as `rows`. */
  what: string
  count: number
  /** Of `whole`, in whatever it is counted in. */
  done: number
  whole: number
}

export interface ProgressBar extends Disposable {
  show: (step: Step) => void
}

/**
 * One line on a terminal that is written over as the work goes on, and wiped out in the end.
 *
 * @param monotonicMs the rate is that of the last ten seconds
 */
export function openProgressBar(
  monotonicMs: () => number,
  write: (text: string) => void,
): ProgressBar {
  const samples: Sample[] = []
  return {
    show(step) {
      const atMs = monotonicMs()
      const last = samples.at(-1)
      if (last?.what !== step.what) samples.length = 0
      else if (atMs - last.atMs < everyMs && step.done < step.whole) return
      samples.push({ ...step, atMs })
      while ((samples[0]?.atMs ?? atMs) < atMs - windowMs) samples.shift()
      write(`\r${formatProgress(samples)}${toEndOfLine}`)
    },
    [Symbol.dispose]() {
      if (samples.length > 0) write(`\r${toEndOfLine}`)
    },
  }
}

interface Sample extends Step {
  atMs: number
}

const everyMs = 100
const windowMs = 10_000
const toEndOfLine = '\u001b[K'

/** `[#####               ]  25 %  1,234,567 rows  45,210 rows/s  0:32 left` */
export function formatProgress(samples: Sample[]): string {
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (!first || !last) return ''
  const share = last.whole > 0 ? Math.min(1, last.done / last.whole) : 1
  const filled = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth)
  const percent = String(Math.floor(share * 100)).padStart(3)
  const parts = [`[${filled}] ${percent} %`, `${grouped(last.count)} ${last.what}`]
  const seconds = (last.atMs - first.atMs) / 1000
  if (seconds > 0) {
    const perSecond = (last.count - first.count) / seconds
    parts.push(`${grouped(Math.round(perSecond))} ${last.what}/s`)
    const donePerSecond = (last.done - first.done) / seconds
    if (donePerSecond > 0) parts.push(`${clock((last.whole - last.done) / donePerSecond)} left`)
  }
  return parts.join('  ')
}

const barWidth = 20

const grouped = (count: number) => count.toLocaleString('en-US')

function clock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const parts = hours > 0 ? [hours, pad(minutes)] : [minutes]
  return [...parts, pad(whole % 60)].join(':')
}

const pad = (part: number) => String(part).padStart(2, '0')
