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

describe('who wrote a mail is told by the group that passes it on under its own address', () => {
  const group = `From: "'Ada' via Sales" <sales@ours.example>\r\n`
  test.each([
    ['X-Original-From: Ada <ada@lead.example>', 'ada@lead.example', 'Ada'],
    ['X-Original-From: =?utf-8?q?J=C3=B6rg?= <joerg@lead.example>', 'joerg@lead.example', 'Jörg'],
    ['X-Original-From: ada@lead.example', 'ada@lead.example', ''],
    ['X-Original-From: nobody', 'sales@ours.example', "'Ada' via Sales"],
    ['X-Original-From:', 'sales@ours.example', "'Ada' via Sales"],
    ['List-Id: <sales.ours.example>', 'sales@ours.example', "'Ada' via Sales"],
  ])('%s', async (header, address, name) => {
    const { from } = await parseMessage(Buffer.from(`${group}${header}\r\n\r\nYes.`))
    expect(from).toEqual({ address, name })
  })
})
