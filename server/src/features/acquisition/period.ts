/** What a workspace has: `balance = granted - used`, always. */
export interface Credits {
  balance: number
  /** In this period, what was carried into it included. */
  granted: number
  used: number
  /** What the plan granted when the period began: what is left of it expires when it ends. */
  period_grant: number
  period_start: Date
  /** Null: without monthly credits a period has no end. */
  period_end: Date | null
}

export interface PeriodTurn {
  credits: Credits
  expired: number
  granted: number
}

/**
 * What a new period brings; undefined while none is due. Periods are calendar months in UTC. The
 * plan's credits are used up first, so that only what is left of them expires: what was granted by
 * hand stays. Months in which nobody looked would have granted what expired unused: they are skipped.
 * Where there was no end, what was charged before now is of a period of its own.
 */
export function turnPeriod(
  credits: Credits,
  monthlyCredits: number,
  now: Date,
): PeriodTurn | undefined {
  const { period_end } = credits
  if (period_end === null ? monthlyCredits === 0 : period_end > now) return
  const expired = Math.min(credits.balance, Math.max(0, credits.period_grant - credits.used))
  const granted = credits.balance - expired + monthlyCredits
  return {
    expired,
    granted: monthlyCredits,
    credits: {
      balance: granted,
      granted,
      used: 0,
      period_grant: monthlyCredits,
      period_start: period_end === null ? now : startOfMonth(now, 0),
      period_end: monthlyCredits === 0 ? null : startOfMonth(now, 1),
    },
  }
}

const startOfMonth = (time: Date, monthsLater: number) =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater))
