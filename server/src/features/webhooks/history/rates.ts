/** The rates in a summary of attempts. */
export interface Summary {
  total_events: number
  successful_events: number
  failed_events: number
  /** 0–100 with 2 decimals. */
  success_rate: number
  failure_rate: number
}

/**
 * Rounded, but never so far that one of them says 100 % or 0 % while the other exists: they add up
 * to 100, or are both 0 when nothing was attempted.
 */
export function summarise(succeeded: number, failed: number): Summary {
  const total = succeeded + failed
  const hundredths = Math.round((succeeded / total) * 10_000)
  const atLeast = succeeded > 0 ? 1 : 0
  const atMost = failed > 0 ? 9_999 : 10_000
  const success = Math.min(atMost, Math.max(atLeast, hundredths))
  return {
    total_events: total,
    successful_events: succeeded,
    failed_events: failed,
    success_rate: total === 0 ? 0 : success / 100,
    failure_rate: total === 0 ? 0 : (10_000 - success) / 100,
  }
}
