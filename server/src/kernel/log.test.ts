import { expect, test } from 'vitest'
import { createLog, describeError } from './log.ts'

test('nothing of an error message reaches the log, also when it looks like a frame', () => {
  const secret = 'ada@example.com'
  const messages = [
    `duplicate key value: (email)=(${secret})`,
    `first\n    at ${secret} (secret.ts:1:1)`,
    '',
  ]
  for (const message of messages) {
    const described = describeError(new TypeError(message))
    expect(JSON.stringify(described)).not.toContain(secret)
    expect(described).toMatchObject({ error: 'TypeError' })
    expect((described.stack as string[])[0]).toMatch(/^ {4}at .*log\.test\.ts/)
  }
})

test('of a driver error the log has the SQLSTATE and where it came from, never the detail', () => {
  const error = Object.assign(new Error('x'), {
    code: '23505',
    constraint: 'leads_email',
    table: 'leads',
    detail: 'Key (email_folded)=(ada@example.com) already exists.',
    where: 'PL/pgSQL ada@example.com',
  })
  const described = describeError(error)
  expect(described).toMatchObject({ code: '23505', constraint: 'leads_email', table: 'leads' })
  expect(JSON.stringify(described)).not.toContain('ada@example.com')
})

test.each([
  ['42501', 'privilege'],
  ['53200', 'out of memory'],
  ['57P03', 'takes no connections yet'],
])('what the operator of the database has to mend is told in words: %s', (code, words) => {
  const error = Object.assign(new Error('x'), { code })
  expect(describeError(error)).toMatchObject({ code, cause: expect.stringContaining(words) })
})

test.each([[undefined], ['a text with a key'], [null]])(
  'what is no error is told by its kind',
  (thrown) => {
    expect(describeError(thrown)).toEqual({ error: typeof thrown })
  },
)

test('lines are JSON without the name of the machine', () => {
  const lines: string[] = []
  createLog('info', { destination: { write: (line) => lines.push(line) } }).info(
    { status: 200 },
    'request',
  )
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 30,
    time: expect.anything(),
    status: 200,
    msg: 'request',
  })
})
