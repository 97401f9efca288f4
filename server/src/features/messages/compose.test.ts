import { describe, expect, test } from 'vitest'
import { composeMail, ids, type MailCase, readMail } from '../../../test/mails.ts'
import { MailRefused } from './index.ts'

const thread = {
  in_reply_to: '<2@sender.example>',
  references: ['<1@sender.example>', '<2@sender.example>'],
  subject: 'A question',
}

const textOf = (of: MailCase) => composeMail(of).text
const htmlOf = (of: MailCase) => composeMail(of).html
const named = (name: string, { headers }: Awaited<ReturnType<typeof readMail>>) =>
  headers.filter(([each]) => each === name).map(([, value]) => value)

function refusalOf(of: MailCase): MailRefused {
  try {
    composeMail(of)
  } catch (error) {
    if (error instanceof MailRefused) return error
    throw error
  }
  throw new Error('composed')
}

test('a mail is read by others as it was meant', async () => {
  const mail = composeMail({
    variant: {
      subject: 'Grüße an {{first_name}} 🚀',
      body: '<p>Hi {{first_name}},</p><p>ça va?<br>Ada</p>',
    },
    lead: { email: 'Zoë@example.com', first_name: 'Zoë & Co' },
    mailbox: { display_name: 'Ada "the" Lovelace, Ph.D.' },
  })
  const { mailparser, postal } = await readMail(mail)
  expect(mail.text).toBe('Hi Zoë & Co,\n\nça va?\nAda')
  expect(mail.html).toBe('<p>Hi Zoë &amp; Co,</p><p>ça va?<br>Ada</p>')
  const subject = 'Grüße an Zoë & Co 🚀'
  const from = { name: 'Ada "the" Lovelace, Ph.D.', address: 'ada@sender.example' }
  expect(mailparser).toMatchObject({
    subject,
    from: { value: [from] },
    to: { value: [{ address: 'Zoë@example.com' }] },
    messageId: '<1@sender.example>',
    date: new Date('2026-11-20T09:37:00Z'),
    html: mail.html,
  })
  expect(mailparser.text?.trim()).toBe(mail.text)
  expect(postal).toMatchObject({ subject, from, messageId: '<1@sender.example>' })
  expect(postal.date).toBe('2026-11-20T09:37:00.000Z')
  const read = [postal.html, postal.text].map((each) => each?.replaceAll('\r\n', '\n').trim())
  expect(read).toEqual([mail.html, mail.text])
})

test('a subject is kept as it is read, also where its accents are characters of their own', async () => {
  const mail = composeMail({
    variant: { subject: 'Grüße an {{first_name}}' },
    lead: { first_name: 'Zoë'.normalize('NFD') },
  })
  expect(mail.subject).toBe('Grüße an Zoë')
  expect((await readMail(mail)).postal.subject).toBe(mail.subject)
  const first = 'Grüße an Zoë'.normalize('NFD')
  const next = composeMail({ variant: { subject: '' }, thread: { ...thread, subject: first } })
  expect([next.subject, next.threadSubject]).toEqual(['Re: Grüße an Zoë', 'Grüße an Zoë'])
})

test('the same input makes the same bytes', () => {
  const of: MailCase = {
    campaign: { open_tracking: true, link_tracking: true, insert_unsubscribe_header: true },
    variant: {
      subject: '{a|b|c} {d|e|f}',
      body: '{Hi|Hello} {{ "now" | date: "%H:%M" }} <a href="https://example.com">x</a>',
    },
  }
  expect(composeMail(of).bytes).toEqual(composeMail(of).bytes)
})

describe('what a lead lacks', () => {
  test.each<[string, string, RegExp]>([
    ['{{first_name}}', 'a field', /no first_name,/],
    ['{{firstName}}', 'a field in camelCase', /no firstName,/],
    ['{{ first_name | upcase }}', 'through a filter', /no first_name,/],
    ['{{ first_name | append: ", " }}', 'with something added', /no first_name,/],
    ['{{ "Hi " | append: first_name }}', 'as what is added', /no first_name,/],
    ['{{first_nam}}', 'a misspelt field', /no first_nam,/],
    ['{{city}}', 'an unknown variable', /no city,/],
    ['{{["Job Level"]}}', 'one with a space', /no \["Job Level"\],/],
    ['{{blank}} {{spaces}}', 'one with nothing in it', /no spaces,/],
    ['{{ first_name | default: last_name }}', 'and the default lacks too', /no first_name,/],
    ['{{ first_name | default }}', 'with a default of nothing', /no first_name,/],
    ['{% assign x = first_name %}{{x}}', 'under another name', /no x,/],
    ['{% if true %}{{first_name}}{% endif %}', 'in a condition that holds', /no first_name,/],
    ['{a {{first_name}}|b {{first_name}}}', 'in an option', /no first_name,/],
    ['{{first_name}} {{last_name}} {{first_name}}', 'each named once', /no first_name, last_name,/],
    ['{{firstName}} {{first_name}}', 'a field in two spellings', /no firstName, and/],
    ['{{a}}{{b}}{{c}}{{d}}{{e}}{{f}}{{g}}', 'up to five', /no a, b, c, d, e and 2 more,/],
    [`{{["${'a'.repeat(57)}😀"]}}`, 'a long one without half an emoji', /no \["a{57},/],
  ])('%s is not sent: %s', (body, _what, reason) => {
    for (const variant of [{ body }, { subject: body }]) {
      const refusal = refusalOf({
        variant,
        lead: { custom_variables: { spaces: ' \n ', blank: 0 } },
      })
      expect(refusal.code).toBe('missing_variable')
      expect(refusal.message).toMatch(reason)
    }
  })

  test.each<[string, string]>([
    ['Hi {{first_name | default: "there"}}', 'Hi there'],
    ['Hi{{first_name | default: ""}}!', 'Hi!'],
    ['Hi {{first_name | default: email}}', 'Hi ann@example.com'],
    ['Hi {{ first_name | append: last_name | default: "you" }}', 'Hi you'],
    ['Hi{% if first_name %} {{first_name}}{% endif %}!', 'Hi!'],
    ['Hi{% for x in list %}{{x}}{% endfor %}!', 'Hi!'],
    ['Hi{% if false %}{{first_name}}{% endif %}!', 'Hi!'],
    ['Hi {{ first_name == "Ann" }}', 'Hi false'],
    ['Hi {{ zero }} {{ no }}', 'Hi 0 false'],
    ['Hi{% capture x %}{% if first_name %}y{% endif %}{% endcapture %}{{x}}!', 'Hi!'],
    ['Hi{{signature}}!', 'Hi!'],
  ])('%s has an answer for it', (body, expected) => {
    const lead = { custom_variables: { zero: 0, no: false } }
    expect(textOf({ variant: { body }, lead })).toBe(expected)
  })

  test('a template that fails for this lead alone says where', () => {
    const refusal = refusalOf({
      variant: { body: 'x {% for i in (1..many) %}{% endfor %}' },
      lead: { custom_variables: { many: 1e9 } },
    })
    expect(refusal.code).toBe('template_error')
    expect(refusal.message).toMatch(/^The template fails for this lead: .*, at line 1, column 3\.$/)
  })

  test('no subject, and no mail before it that it could continue', () => {
    const variant = { subject: '{% if first_name %}Hi{% endif %} \n' }
    expect(refusalOf({ variant }).code).toBe('empty_subject')
    expect(composeMail({ variant, thread }).subject).toBe('Re: A question')
  })
})

test('what no name holds is none of the sender’s name', async () => {
  const { postal } = await readMail(
    composeMail({ mailbox: { display_name: ' Ada\r\nBcc: x@example.com\0\u2028 ' } }),
  )
  expect(postal.from?.name).toBe('Ada Bcc: x@example.com')
})

describe('spintax', () => {
  const of = (lead: string, more: Partial<MailCase['variant']> = {}): MailCase => ({
    variant: { subject: '{1|2|3|4|5|6|7|8}', body: '{a|b|c}{d|e|f}{g|h|i}', ...more },
    lead: { id: `019a9d5e-1111-7c31-9d0a-${lead.padStart(12, '0')}` },
  })

  test('every option reaches about as many leads', () => {
    const drawn = Array.from({ length: 2700 }, (_, i) => textOf(of(i.toString(16))))
    const counts = Map.groupBy(drawn, (text) => text)
    expect(counts.size).toBe(27)
    for (const [, { length }] of counts) expect(Math.abs(length - 100)).toBeLessThan(45)
  })

  test('a change of the subject does not draw the body again, another variant does', () => {
    const leads = Array.from({ length: 50 }, (_, i) => i.toString(16))
    const texts = (more: Partial<MailCase['variant']>) =>
      leads.map((lead) => textOf(of(lead, more))).join(' ')
    expect(texts({ subject: '{x|y|{z|w}}' })).toBe(texts({}))
    expect(texts({ id: ids.lead })).not.toBe(texts({}))
  })
})

describe('a thread', () => {
  test('is continued by an empty subject', async () => {
    const mail = composeMail({ variant: { subject: '' }, thread })
    expect(mail).toMatchObject({
      subject: 'Re: A question',
      threadSubject: 'A question',
      startsThread: false,
    })
    const { mailparser } = await readMail(mail)
    expect(mailparser).toMatchObject({
      inReplyTo: thread.in_reply_to,
      references: thread.references,
    })
  })

  test('is begun by a subject', async () => {
    const mail = composeMail({ variant: { subject: 'Another' }, thread })
    expect(mail).toMatchObject({
      subject: 'Another',
      threadSubject: 'Another',
      startsThread: true,
    })
    const { mailparser } = await readMail(mail)
    expect([mailparser.inReplyTo, mailparser.references]).toEqual([undefined, undefined])
  })

  test.each(['Re: A question', 'RE:A question'])('%s gets no second Re:', (subject) => {
    const mail = composeMail({ variant: { subject: '' }, thread: { ...thread, subject } })
    expect(mail.subject).toBe(subject)
  })

  test('a long one keeps its first mail and its latest', async () => {
    const references = Array.from({ length: 200 }, (_, i) => `<${i}@sender.example>`)
    const mail = composeMail({ variant: { subject: '' }, thread: { ...thread, references } })
    const { mailparser } = await readMail(mail)
    expect(mailparser.references).toHaveLength(20)
    expect(mailparser.references?.slice(0, 2)).toEqual(['<0@sender.example>', references[182]])
    expect(mailparser.references?.at(-1)).toBe('<2@sender.example>')
  })

  test('what a server put in the place of an id, and is none, is left out', async () => {
    const bad = [
      '<a@b>\r\nBcc: x@example.com',
      '<a b@c>',
      'a@b',
      '<>',
      '<é@b>',
      `<${'x'.repeat(999)}>`,
    ]
    const mail = composeMail({
      variant: { subject: '' },
      thread: { subject: 'A\r\nBcc: x', in_reply_to: bad[0] ?? '', references: bad },
    })
    const { headers } = await readMail(mail)
    expect(headers.map(([name]) => name)).toEqual([
      ...['Message-ID', 'Date', 'From', 'To', 'Subject', 'MIME-Version', 'Content-Type'],
    ])
    expect(mail.subject).toBe('Re: A Bcc: x')
  })
})

describe('the signature', () => {
  const signature = '<b>Ada</b> &amp; Co'
  test.each<[string, string, string]>([
    ['at the end', '<p>Hi</p>', '<p>Hi</p>\n<div><b>Ada</b> &amp; Co</div>\n'],
    [
      'in the document',
      '<html><body>Hi</body></html>',
      '<html><body>Hi\n<div><b>Ada</b> &amp; Co</div>\n</body></html>',
    ],
    ['where it is placed', 'Hi {{signature}}!', 'Hi <b>Ada</b> &amp; Co!'],
    ['nowhere but there', '{% if x %}{{ signature }}{% endif %}Hi', 'Hi'],
  ])('stands %s', (_where, body, expected) => {
    const of = { variant: { body }, mailbox: { signature } }
    expect(htmlOf(of)).toBe(expected)
    expect(textOf(of).includes('Ada & Co')).toBe(expected.includes('Ada'))
  })

  test.each<[string, string, string]>([
    ['a paragraph', '<p>Bye,<br>{{signature}}</p>', '<p>Bye,<br></p><p>Ada</p>'],
    ['one of its own', '<p class="x"> {{signature}}</p>\n<p>PS</p>', ' <p>Ada</p>\n<p>PS</p>'],
    ['the middle of one', '<p>Bye {{signature}} PS</p>', '<p>Bye </p><p>Ada</p> PS'],
    [
      'a cell',
      '<table><td><p>Bye<td>{{signature}}</table>',
      '<table><td><p>Bye</p><td><p>Ada</p></table>',
    ],
    ['no paragraph', '<div>{{signature}}</div><p>PS</p>', '<div><p>Ada</p></div><p>PS</p>'],
  ])('with paragraphs of its own that is placed in %s nests none', (_where, body, expected) => {
    const of = { variant: { body }, mailbox: { signature: '<p>Ada</p>' } }
    expect(htmlOf(of)).toBe(expected)
  })

  test('is the mailbox’s, whatever a lead is called', () => {
    const lead = { custom_variables: { signature: 'no', unsubscribe_url: 'no' } }
    const variant = { body: '{{signature}} {{unsubscribe_url}}' }
    const text = textOf({ variant, lead, mailbox: { signature } })
    expect(text).toMatch(/^Ada & Co https:\/\/go\.example\.com\/u\//)
  })
})

describe('plain text alone', () => {
  test.each<[string, MailCase, boolean]>([
    ['of a text_only campaign', { campaign: { text_only: true }, thread }, true],
    ['of a first mail', { campaign: { first_email_text_only: true } }, true],
    ['not of a follow-up', { campaign: { first_email_text_only: true }, thread }, false],
    ['not else', {}, false],
  ])('%s', async (_what, of, isTextOnly) => {
    const body = '<p>Hi</p><p>See <a href="https://example.com/a?b=1">this</a></p>'
    const campaign = { ...of.campaign, open_tracking: true, link_tracking: true }
    const mail = composeMail({ ...of, campaign, variant: { body } })
    const read = await readMail(mail)
    expect(mail.text).toBe('Hi\n\nSee this <https://example.com/a?b=1>')
    expect(read.mailparser.text?.trim()).toBe(mail.text)
    expect([mail.html === null, read.mailparser.html === false]).toEqual([isTextOnly, isTextOnly])
    expect(mail.bytes.includes('go.example.com')).toBe(!isTextOnly)
  })
})

describe('tracking', () => {
  const body =
    '<a href="https://example.com/?a=1&amp;b=2">one</a> <a href="{{unsubscribe_url}}">out</a>'

  test('is off unless it is asked for', () => {
    const mail = composeMail({ variant: { body: '<a href="https://example.com/">one</a>' } })
    expect(mail.bytes.includes('go.example.com')).toBe(false)
  })

  test('is in what is sent, and not in what is kept to be looked at', async () => {
    const mail = composeMail({
      campaign: { open_tracking: true, link_tracking: true },
      variant: { body: `<body>${body}</body>` },
    })
    const { postal } = await readMail(mail)
    expect(mail.html).toContain('href="https://example.com/?a=1&amp;b=2"')
    expect(mail.html).not.toContain('<img')
    expect(mail.text).toContain('one <https://example.com/?a=1&b=2>')
    expect(postal.html).toMatch(
      /^<body><a href="https:\/\/go\.example\.com\/c\/[\w-]+">one<\/a> <a href="https:\/\/go\.example\.com\/u\/[\w-]+">out<\/a><img src="https:\/\/go\.example\.com\/o\/[\w-]+\.gif" [^>]*><\/body>\n?$/,
    )
  })

  test('unsubscribing is one click in the header where the campaign wants it', async () => {
    const campaign = { insert_unsubscribe_header: true }
    const mail = composeMail({ campaign, variant: { body } })
    const read = await readMail(mail)
    const url = /href="(https:\/\/go\.example\.com\/u\/[^"]+)"/.exec(mail.html ?? '')?.[1]
    expect(named('List-Unsubscribe', read)).toEqual([`<${url}>`])
    expect(named('List-Unsubscribe-Post', read)).toEqual(['List-Unsubscribe=One-Click'])
    const without = await readMail(composeMail({ variant: { body } }))
    expect(named('List-Unsubscribe', without)).toEqual([])
  })
})

describe('addresses', () => {
  test('a copy is named, a blind copy is not, nobody gets it twice', async () => {
    const mail = composeMail({
      campaign: {
        cc_list: ['boss@example.com', 'ANN@example.com', 'boss@example.com'],
        bcc_list: ['crm@bücher.example', 'BOSS@example.com'],
      },
    })
    const { mailparser } = await readMail(mail)
    expect(mailparser.cc).toHaveProperty('value', [{ address: 'boss@example.com', name: '' }])
    expect(mail.bytes.includes('crm@')).toBe(false)
    expect(mail.from).toBe('ada@sender.example')
    // In the spelling that the mail names, by which a preview knows who gets a blind copy.
    expect(mail.recipients).toEqual([
      ...['ann@example.com', 'boss@example.com', 'crm@xn--bcher-kva.example'],
    ])
    expect(mail.cc).toEqual(['boss@example.com'])
  })

  test('a domain goes in ASCII form, a local part that is not ASCII needs SMTPUTF8', () => {
    const idn = composeMail({
      lead: { email: 'Ann@Bücher.example' },
      mailbox: { address: 'ada@münchen.example' },
    })
    expect(idn).toMatchObject({
      needsUtf8: false,
      from: 'ada@xn--mnchen-3ya.example',
      recipients: ['Ann@xn--bcher-kva.example'],
    })
    expect(idn.bytes.toString('latin1')).toMatch(/^[\r\n\t\x20-\x7e]*$/)
    const utf8 = composeMail({ lead: { email: '用户@例え.jp' } })
    expect(utf8).toMatchObject({ needsUtf8: true, recipients: ['用户@xn--r8jz45g.jp'] })
    expect(utf8.bytes.toString()).toContain('\r\nTo: 用户@xn--r8jz45g.jp\r\n')
    for (const campaign of [{ cc_list: ['é@example.com'] }, { bcc_list: ['é@example.com'] }]) {
      expect(composeMail({ campaign }).needsUtf8).toBe(true)
    }
  })

  test('one that is none is refused without quoting it', () => {
    const refusal = refusalOf({ lead: { email: 'secret@@example' } })
    expect(refusal).toMatchObject({ code: 'bad_address' })
    expect(refusal.message).not.toContain('secret')
  })
})
