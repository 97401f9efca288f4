import { expect, test } from 'vitest'
import { MailFailure } from '../../../kernel/mail/index.ts'
import { RefusedInRow } from './refused-in-row.ts'

test('those whose words have stopped a mailbox count for nothing once it goes on', () => {
  const row = new RefusedInRow()
  const failure = new MailFailure('rcpt', 'refused', { code: 550, response: '550 Not wanted here' })
  const add = (domain: string) => row.add('a mailbox', `ada@${domain}.example`, failure)
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map(add)).toEqual([false, false, true, false, false, true])
})
