import { expect, test } from 'vitest'
import { readMail } from '../../../test/mails.ts'
import { composeReply } from './index.ts'

const reply = (more: Partial<Parameters<typeof composeReply>[0]> = {}) =>
  composeReply({
    mailbox: { address: 'ada@sender.example', display_name: 'Ada' },
    to: 'ann@example.com',
    messageId: '<9@sender.example>',
    at: new Date('2026-11-20T09:37:00Z'),
    thread: {
      in_reply_to: '<8@example.com>',
      references: ['<1@sender.example>', '<8@example.com>'],
      subject: 'A question',
    },
    body: { html: '<p>Yes, {{first_name}}.</p><p>Ada</p>' },
    ...more,
  })

test('a person’s reply goes out as it was written, in its thread', async () => {
  const mail = reply()
  expect(mail.recipients).toEqual(['ann@example.com'])
  const { mailparser, headers } = await readMail(mail)
  expect(mailparser).toMatchObject({
    subject: 'Re: A question',
    from: { value: [{ name: 'Ada', address: 'ada@sender.example' }] },
    inReplyTo: '<8@example.com>',
    references: ['<1@sender.example>', '<8@example.com>'],
    html: '<p>Yes, {{first_name}}.</p><p>Ada</p>',
  })
  expect(mailparser.text?.trim()).toBe('Yes, {{first_name}}.\n\nAda')
  expect(headers.map(([name]) => name)).not.toContain('List-Unsubscribe')
})

test('a reply in plain text is plain text', async () => {
  const mail = reply({ body: { text: 'Yes <b>\n\n  really\0' } })
  const { mailparser, postal } = await readMail(mail)
  expect([mail.html, mailparser.html, postal.html]).toEqual([null, false, undefined])
  expect(mailparser.text?.trimEnd()).toBe('Yes <b>\n\n  really')
})
