import { describe, expect, test } from 'vitest'
import { parseMessage } from './message.ts'

describe('the mail that an answer refers to is known however a program writes its Message-ID', () => {
  const known = '<019a9d5e@ours.example>'
  test.each([
    [known, [known]],
    ['=?utf-8?q?=3C019a9d5e=40ours.example=3E?=', [known]],
    ['=?utf-8?q?=3C019a9d?=\r\n =?utf-8?q?5e=40ours.example=3E?=', [known]],
    ['=?UTF-8?B?PDAxOWE5ZDVlQG91cnMuZXhhbXBsZT4=?=', [known]],
    ['019a9d5e@ours.example', [known]],
    ['"019a9d5e@ours.example"', [known]],
    ['first@ours.example,\r\n 019a9d5e@ours.example', ['<first@ours.example>', known]],
    ['your mail of Tuesday <019a9d5e@ours.example> ada@lead.example', [known]],
    ['<an id with spaces@ours.example>', []],
    ['your mail of Tuesday', []],
  ])('%s', async (value, ids) => {
    const source = `In-Reply-To: ${value}\r\nReferences: ${value}\r\n\r\nYes.`
    expect(await parseMessage(Buffer.from(source))).toMatchObject({
      inReplyTo: ids,
      references: ids,
    })
  })
})
