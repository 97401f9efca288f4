/**
 * Where the test clock starts, so that a test runs at the same time of the same day in each run.
 * `TEST_INSTANT` names one of those at which calendars are hard; all tests hold there as well.
 */
const testInstants = {
  /** A Tuesday, far from every change. */
  usual: '2026-05-12T10:00:00.000Z',
  'month-end': '2026-04-30T23:59:58.000Z',
  /** Europe's; a day has 23 hours. */
  'clocks-forward': '2026-03-29T00:59:58.000Z',
  /** Europe's; a day has 25 hours. */
  'clocks-back': '2026-10-25T00:59:58.000Z',
  'leap-day': '2028-02-28T23:59:58.000Z',
  'year-end': '2026-12-31T23:59:58.000Z',
} as const

export function testInstant(): Date {
  const name = process.env.TEST_INSTANT || 'usual'
  const instant = testInstants[name as keyof typeof testInstants]
  if (instant) return new Date(instant)
  throw new Error(`TEST_INSTANT is one of ${Object.keys(testInstants).join(', ')}.`)
}
