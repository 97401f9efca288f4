import { describe, expect, test } from 'vitest'
import { composeMail, type MailCase } from '../../../test/mails.ts'

const made = (body: string, more: MailCase = {}) => {
  const { text, html } = composeMail({ ...more, variant: { body } })
  return { text, html }
}
const ofAnn = (fields: object): MailCase => ({ lead: { first_name: 'Ann', ...fields } })

describe('a body without any tag is text', () => {
  test.each<[string, string, string]>([
    ['\n', 'Hi Ann,<br>\n<br>\nI saw A.<br>\nAnd B.', 'Hi Ann,\n\nI saw A.\nAnd B.'],
    ['\r\n', 'Hi Ann,<br>\n<br>\nI saw A.<br>\nAnd B.', 'Hi Ann,\n\nI saw A.\nAnd B.'],
  ])('its lines that end in %j are kept in HTML and in plain text', (end, html, text) => {
    const body = ['Hi {{first_name}},', '', 'I saw A.', 'And B.', ''].join(end)
    expect(made(body, ofAnn({}))).toEqual({ html, text })
    const textOnly = { ...ofAnn({}), campaign: { text_only: true } }
    expect(made(body, textOnly)).toEqual({ html: null, text })
  })

  test.each([
    ['a < b > c & d', 'a &lt; b &gt; c &amp; d', 'a < b > c & d'],
    ['<3 <ann@x.example> <https://x.example/?a=1&copy=2>', null, null],
    ['Tom &amp; Jerry &euro;', 'Tom &amp; Jerry &euro;', 'Tom & Jerry €'],
    ['{% if first_name %}Hi\nyou{% endif %}', 'Hi<br>\nyou', 'Hi\nyou'],
    ['{% if first_name -%}\nHi\n{%- endif %}\n{Yes|Yes}', 'Hi<br>\nYes', 'Hi\nYes'],
  ])('%j is shown as it is written', (body, html, text) => {
    const mail = made(body, ofAnn({}))
    if (html !== null) expect(mail.html).toBe(html)
    expect(mail.text).toBe(text ?? body)
  })

  test('the signature that it places stays HTML', () => {
    const mailbox = { signature: '<p>Ada\nLovelace</p>' }
    expect(made('Bye\n{{signature}}\nPS', { mailbox })).toEqual({
      html: 'Bye<br>\n<p>Ada\nLovelace</p><br>\nPS',
      text: 'Bye\n\nAda Lovelace\n\n\nPS',
    })
  })
})

describe('a value of several lines', () => {
  const personalization = 'One & two\nThree\r\n\r\nFour'
  const html = 'One &amp; two<br>\nThree<br>\n<br>\nFour'
  const text = 'One & two\nThree\n\nFour'

  test.each(['{{personalization}}', '<p>{{personalization}}</p>'])('keeps them in %j', (body) => {
    const mail = made(body, ofAnn({ personalization }))
    expect(mail.html).toContain(html)
    expect(mail.text).toBe(text)
  })

  test('has them once where the template makes breaks of them', () => {
    const mail = made('<p>{{personalization | newline_to_br}}</p>', ofAnn({ personalization }))
    expect(mail.html).toBe(`<p>${html}</p>`)
  })

  test('breaks no tag that it stands in, and stays as it is where lines are kept anyway', () => {
    const website = 'https://x.example/\n'
    const { html } = made('<a href="{{website}}">x</a><pre>{{personalization}}</pre>', {
      ...ofAnn({ personalization, website }),
    })
    expect(html).toBe('<a href="https://x.example/\n">x</a><pre>One &amp; two\nThree\n\nFour</pre>')
  })
})

test('line ends of a body with tags are white space, as in any HTML', () => {
  expect(made('<p>Hi\nAnn</p>\n')).toEqual({ html: '<p>Hi\nAnn</p>', text: 'Hi Ann' })
})
