export type Status = 'ok' | 'warn' | 'fail'

/** What one check of the doctor came to. */
export interface Finding {
  check: string
  status: Status
  detail: string
  /** What to do about it; null when all is well. */
  remedy: string | null
}

export const fine = (check: string, detail: string): Finding => ({
  check,
  status: 'ok',
  detail,
  remedy: null,
})

export const found = (
  check: string,
  status: Exclude<Status, 'ok'>,
  detail: string,
  remedy: string,
): Finding => ({ check, status, detail, remedy })

export const worstOf = (findings: Finding[]): Status =>
  (['fail', 'warn'] as const).find((status) => findings.some((one) => one.status === status)) ??
  'ok'
