import { expect, test } from 'vitest'
import { formatProgress, openProgressBar } from './progress-bar.ts'

test('a bar tells the share, the rate of the last ten seconds, and the time that is left', () => {
  let ms = 0
  const written: string[] = []
  const bar = openProgressBar(
    () => ms,
    (text) => written.push(text),
  )
  for (; ms <= 60_000; ms += 1000) {
    // Twice as fast in its last ten seconds.
    const done = ms < 50_000 ? ms : 50_000 + 2 * (ms - 50_000)
    bar.show({ what: 'rows', count: done, done, whole: 100_000 })
  }
  expect(written.at(-1)).toBe(
    '\r[##############      ]  70 %  70,000 rows  2,000 rows/s  0:15 left\u001b[K',
  )
  bar[Symbol.dispose]()
  expect(written.at(-1)).toBe('\r\u001b[K')
})

test('a bar is drawn ten times a second at most, and once more at the end', () => {
  let ms = 0
  const written: string[] = []
  const bar = openProgressBar(
    () => ms,
    (text) => written.push(text),
  )
  for (; ms < 1000; ms += 10) bar.show({ what: 'rows', count: ms, done: ms, whole: 1000 })
  expect(written).toHaveLength(10)
  bar.show({ what: 'rows', count: 1000, done: 1000, whole: 1000 })
  expect(written.at(-1)).toContain('100 %')
})

test('what begins anew is measured anew', () => {
  let ms = 0
  const written: string[] = []
  const bar = openProgressBar(
    () => ms,
    (text) => written.push(text),
  )
  bar.show({ what: 'rows', count: 9, done: 9, whole: 9 })
  ms = 1000
  bar.show({ what: 'blocks indexed', count: 1, done: 1, whole: 4 })
  ms = 3000
  bar.show({ what: 'blocks indexed', count: 3, done: 3, whole: 4 })
  expect(written.at(-1)).toContain(' 75 %  3 blocks indexed  1 blocks indexed/s  0:01 left')
})

test.each([
  [[], ''],
  [
    [{ atMs: 0, what: 'rows', count: 0, done: 0, whole: 0 }],
    '[####################] 100 %  0 rows',
  ],
  [
    [{ atMs: 5, what: 'rows', count: 7, done: 1, whole: 8 }],
    '[##                  ]  12 %  7 rows',
  ],
  [
    [
      { atMs: 0, what: 'rows', count: 0, done: 0, whole: 9000 },
      { atMs: 1000, what: 'rows', count: 1, done: 1, whole: 9000 },
    ],
    '[                    ]   0 %  1 rows  1 rows/s  2:29:59 left',
  ],
])('%j is drawn as %j', (samples, line) => {
  expect(formatProgress(samples)).toBe(line)
})
