import { describe, expect, test } from 'vitest'
import { classify } from './classify.ts'
import { parseMessage } from './message.ts'
import { findReturnDay } from './return-day.ts'
import { readWish } from './unsubscribe-wish.ts'
import { visibleText } from './visible-text.ts'

const now = new Date('2026-11-24T10:00:00Z')
const received = (text: string) => ({ text, to: ['anna@ours.example'], subject: 'Re: Hello' })

describe('the day on which an absence begins is not the day of return', () => {
  test.each([
    ['Ich bin ab dem 1. Dezember bis 15. Dezember nicht erreichbar.', '2026-12-16'],
    ['Ich bin ab 24.12. bis 06.01. im Urlaub.', '2027-01-07'],
    ["Je suis absent à partir du 1er décembre jusqu'au 15 décembre.", '2026-12-16'],
    ['Estaré ausente a partir del 1 de diciembre hasta el 15 de diciembre.', '2026-12-16'],
    ['Ik ben vanaf 1 december tot 15 december afwezig.', '2026-12-16'],
  ])('%s', (text, day) => expect(String(findReturnDay(text, now))).toBe(day))
})

test('who is back on the day that begins by UTC is still away where the day before goes on', () => {
  const evening = new Date('2026-12-01T01:30:00Z')
  const back = 'Out of the office today, back on December 1.'
  expect(String(findReturnDay(back, evening))).toBe('2026-12-01')
  expect(findReturnDay('Back on November 30.', evening)).toBeNull()
})

describe('who is interested does not ask to be unsubscribed', () => {
  test.each([
    "I'm interested. Please take me through the pricing on Thursday.",
    'Sounds great! Could you please take us through a demo next week?',
    "Please don't email me before 10, I am in meetings. Call me: +49 30 1234.",
    "Happy to talk. Please don't contact us by phone, e-mail is better.",
    'We want to opt out of our current vendor, so your timing is perfect.',
    'Bitte keine Mails an info@, schreiben Sie mir direkt. Wir haben Interesse.',
    'Stop by on Tuesday, I will show you around.',
    'We cannot stop now. Remove the second item from the offer, please.',
    'Löschen Sie bitte Position 3 aus dem Angebot.',
    'Non possiamo cancellare la riunione, a domani.',
    'Veuillez retirer la ligne 2 du devis.',
  ])('%s', (text) => expect(readWish(received(text))).toBeNull())
})

test('a wish among other sentences is only suggested', () => {
  for (const text of [
    "Don't write to me, write to our CFO Eva, she is waiting for your offer.",
    'Nice product. We have a supplier for the next two years. Please remove me from your list.',
    'Unsubscribe me. Or call me on Monday about the larger plan, that would be interesting.',
  ]) {
    expect([text, readWish(received(text))]).toEqual([text, 'possible'])
  }
})

describe('a short mail that is nothing but the wish is plain', () => {
  test.each([
    'No thanks, unsubscribe',
    "Not interested. Don't email again.",
    'Hi Tom,\n\nunsubscribe\n\nBob',
    'Unsubscribe me please.\n\nBest regards\nBob Miller\nHead of Purchasing\n+49 30 1234',
    'Please remove me from your mailing list. Thank you!\n\nSent from my iPhone',
    'STOP',
    'Merci de me désinscrire',
    'Merci de ne plus me contacter',
    'Veuillez me retirer de votre liste',
    'Bitte löschen Sie meine Daten.',
    'Sehr geehrte Frau Adler,\n\nbitte nehmen Sie mich aus dem Verteiler.\n\nMit freundlichen Grüßen\nBob',
    'Kein Interesse, bitte keine weiteren E-Mails.',
    'Por favor, elimíneme de su lista',
    'No me escriban más. Gracias.',
    'Non scrivetemi più',
    'Não quero receber mais e-mails',
    'Graag geen mails meer',
    'Proszę o usunięcie mnie z listy',
    'Proszę nie pisać do mnie więcej',
  ])('%s', (text) => expect(readWish(received(text))).toBe('plain'))
})

test("what our own mail says below the answer is nobody's wish", () => {
  const ours = 'Hello\nIf you want to unsubscribe, answer with "unsubscribe".\nUnsubscribe'
  const block = `Lähettäjä: Anna <anna@ours.example>\nLähetetty: 24.11.2026 10:00\nVastaanottaja: Ada\nAihe: Hello\n\n${ours}`
  expect(readWish(received(`Kiitos, soitan huomenna.\n\n${block}`))).toBeNull()
  expect(readWish(received(`Thanks, I will call tomorrow.\n\n${ours}`))).toBeNull()
})

const kindOf = async (lines: string[], body = 'Yes, please call me.') => {
  const head = ['From: Ann <ann@acme.example>', 'To: sales@ours.example']
  const isNamed = lines.some((line) => /^message-id:/i.test(line))
  const named = isNamed ? lines : ['Message-ID: <x@acme.example>', ...lines]
  const source = Buffer.from([...head, ...named, '', body].join('\r\n'))
  return classify(await parseMessage(source), now)
}
const answer = ['In-Reply-To: <a@ours.example>', 'References: <a@ours.example>']

describe('a person with a subject of their own is a person', () => {
  test.each([
    'Spring semester cooperation',
    'Absence management: please send an offer',
    'Periferie-Projekt: Angebot',
    'Urlopy: oferta',
    'Holiday season campaign',
    'Annual leave planning tool: your offer',
    'Vacation rental in Spain',
    'Urlaub - danach gerne ein Gespräch',
    'Vacation: then yes',
    'Absence – call my colleague',
  ])('%s', async (subject) => expect((await kindOf([`Subject: ${subject}`])).kind).toBe('reply'))
})

describe('a subject that goes on behind a word of absence is a machine’s where its text says so', () => {
  test.each([
    ['Urlaub - Ihre Anfrage', 'Ich bin bis 7. Dezember nicht im Büro.'],
    ['Vacation: your mail', 'I am on vacation.'],
  ])('%s: %s', async (subject, body) => {
    expect((await kindOf([`Subject: ${subject}`], body)).kind).toBe('auto_reply')
  })
})

describe('a person who answers from a help desk is a person', () => {
  test.each(['X-Auto-Response-Suppress: All', 'Precedence: bulk'])('%s', async (header) =>
    expect((await kindOf([...answer, 'Subject: Re: Offer', header])).kind).toBe('reply'),
  )
})

/** The marks that each help desk puts on everything that it sends, as their mails have them. */
const desks: Record<string, string[]> = {
  Zendesk: [
    'Message-ID: <L7VKGOM25K_5fd908fd5600d_4b5665bc15886c_sprut@zendesk.com>',
    ...['X-Delivery-Context: event-id-686236246199', 'Auto-Submitted: auto-generated'],
    ...['X-Auto-Response-Suppress: All', 'X-Mailer: Zendesk Mailer'],
    'X-Zendesk-From-Account-Id: 68b8aed',
  ],
  'Zendesk by a relay': ['Auto-Submitted: auto-generated', 'X-Zendesk-Email-Id: 01M3Q58ZANF2HQSG'],
  Freshdesk: [
    'Message-ID: <638ef6c58b985_1bc2a.sidekiq-frequent-fd-poduseast1-main2@help.lead.example>',
    ...['Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: DR, RN, OOF, AutoReply'],
  ],
  Jira: [
    'Message-ID: <JIRA.36713.1505335133000.cca3ba12@Atlassian.JIRA>',
    ...['X-JIRA-FingerPrint: 3d8d037ee072182d2a199910821ff734', 'Auto-Submitted: auto-generated'],
    'Precedence: bulk',
  ],
  Intercom: [
    ...['X-Intercom-App-Id: mnjgb56x', 'X-Intercom-Notification-Reason: support_email'],
    'X-Auto-Response-Suppress: OOF, AutoReply',
  ],
  'Help Scout': [
    'Message-Id: <reply-62593-594602096-1628885653-1528139209@helpscout.net>',
    ...['X-Hs-Format: 2', 'X-Msg-Context: HS-1-113686-594602096-1628885653'],
  ],
  Front: ['Message-ID: <af07e94a66ece6564ae30a2aaac7a34c@frontapp.com>'],
}

describe.each(Object.entries(desks))('by way of %s', (_desk, marks) => {
  test('a person answers', async () => {
    const subject = 'Subject: Re: [#4711] Offer'
    const body =
      '##- Please type your reply above this line -##\n\nYour request (4711) has been updated.\n\n' +
      'Erika Kuntar (Support)\n\nThank you, we would like to see a demo on Friday.'
    expect((await kindOf([...answer, subject, ...marks], body)).kind).toBe('reply')
  })
  test.each([
    'Thanks for reaching out to us. In any case we would love a demo next week – does Tuesday work?',
    'Thanks for contacting us, we would like to request a quote for 20 seats.',
    'Hi, we received your message and are very interested. Can you call me?',
    'In this case it is submitted to our board on Monday. Please send an offer.',
    'Wir haben Ihre Nachricht erhalten und haben Interesse. Bitte rufen Sie mich an.',
    'Ihre Mail ist bei uns eingegangen, und sie kommt zur rechten Zeit. Wann passt es?',
    'Sorry, your email was opened by the wrong team first. Yes please, let us talk.',
    'Nous avons bien reçu votre message et nous sommes intéressés.',
    'Hemos recibido su mensaje y nos interesa. ¿Podemos hablar?',
    'Abbiamo ricevuto la vostra mail e ci interessa molto.',
  ])('a person says that the mail came, and more: %s', async (body) => {
    const headers = [...answer, 'Subject: Re: Offer', ...marks]
    expect((await kindOf(headers, body)).kind).toBe('reply')
  })
  test('the subject of our own mail says nothing', async () => {
    const headers = [...answer, 'Subject: Re: Your request was received, and now?', ...marks]
    expect((await kindOf(headers, 'Yes, it was received. Let us talk.')).kind).toBe('reply')
  })
})

describe.each(['Zendesk', 'Zendesk by a relay', 'Freshdesk', 'Jira', 'Intercom'])(
  'an acknowledgement of %s is a machine’s',
  (desk) => {
    const marks = desks[desk] ?? []
    test.each([
      ['Re: Offer', 'Your request (4711) has been received and is being reviewed by our staff.'],
      ['Ticket Received - 286614 - Offer', 'Dear Anna,'],
      ['[Request received] Offer', 'Hello Anna,'],
      ['Your email was received: Offer', 'Hi there,'],
      ['Re: Offer', 'Thanks for contacting us. Your ticket number is 12.'],
      ['Re: Offer', 'Wir haben Ihre Anfrage erhalten und melden uns.'],
      ['Re: Offer', 'Ihr Ticket 12 wurde erfolgreich angelegt.'],
      ['Re: Offer', 'Votre demande (12) a été enregistrée.'],
      ['Re: Offer', 'Hemos recibido tu solicitud.'],
      ['Re: Offer', 'Uw aanvraag (12) is ontvangen.'],
      ['Re: Offer', 'Your support request has been created.'],
      ['Re: Offer', 'Thank you for contacting Acme. Your case (4711) is with our team.'],
      ['Re: Offer', 'Your case #4711 has been logged.'],
    ])('%s: %s', async (subject, body) => {
      const found = await kindOf([...answer, `Subject: ${subject}`, ...marks], body)
      expect(found).toMatchObject({ kind: 'auto_reply', isOutOfOffice: false })
    })
  },
)

describe('with a help desk as with any sender', () => {
  const zendesk = desks.Zendesk ?? []
  test.each([
    ['a bot', ['Subject: Re: Offer', ...(desks.Intercom ?? []), 'X-Intercom-Source: workflow']],
    ['who is away', ['Subject: Automatic reply: Offer', ...zendesk]],
    ['what says that a machine answered', ['Subject: Re: Offer', 'Auto-Submitted: auto-replied']],
  ])('%s is no person', async (_who, headers) => {
    expect((await kindOf([...answer, ...headers], 'Hello.')).kind).toBe('auto_reply')
  })
  test('what answers nothing is a machine’s', async () => {
    expect((await kindOf(['Subject: News', ...zendesk], 'Hello.')).kind).toBe('auto_reply')
  })
})

describe('what is marked as automatic and tells a day', () => {
  const marked = [...answer, 'Auto-Submitted: auto-replied', 'Subject: Re: Offer']
  test.each([
    'Ich befinde mich bis einschließlich Freitag, den 4. Dezember in Elternzeit.',
    'No estaré disponible hasta el 4 de diciembre.',
    "Absente jusqu'au 04/12.",
  ])('%s', async (body) => {
    expect(await kindOf(marked, body)).toMatchObject({ kind: 'auto_reply', isOutOfOffice: true })
    const found = await kindOf(marked, body)
    expect(found.kind === 'auto_reply' && String(found.returnsOn)).toBe('2026-12-05')
  })
})

test('an accent may be written in two characters', async () => {
  const subject = Buffer.from('Réponse automatique : Offre'.normalize('NFD')).toString('base64')
  expect((await kindOf([...answer, `Subject: =?UTF-8?B?${subject}?=`])).kind).toBe('auto_reply')
  const marked = ['Auto-Submitted: auto-replied', 'Content-Type: text/plain; charset=utf-8']
  const away = 'Je suis en congés.'.normalize('NFD')
  expect(await kindOf([...answer, ...marked], away)).toMatchObject({ isOutOfOffice: true })
})

describe('the line above a quote is not what the person wrote', () => {
  test.each([
    ['Ja gern.', 'Am Di., 24. Nov. 2026 um 10:00 Uhr schrieb Anna <anna@example.com>:'],
    ['Ja.', 'Am 24.11.26 um 10:00 schrieb Anna:'],
    ['Ja tak.', 'Den tirs. 24. nov. 2026 kl. 10.00 skrev Anna <anna@example.com>:'],
    ['Ja tack.', 'Den tis 24 nov. 2026 kl 10:00 skrev Anna <anna@example.com>:'],
    ['Tak.', 'wt., 24 lis 2026 o 10:00 Anna <anna@example.com> napisał(a):'],
    ['Да.', 'вт, 24 нояб. 2026 г. в 10:00, Anna <anna@example.com>:'],
    ['Ano.', 'út 24. 11. 2026 v 10:00 odesílatel Anna <anna@example.com> napsal:'],
  ])('%s %s', (own, line) => {
    expect(visibleText(received(`${own}\n\n${line}\n\n> Hello\n> Anna`))).toBe(own)
  })
})

test('a line with a day and an address ends what the person wrote, also above a quote without marks', () => {
  const line = 'Anna <anna@example.com> kirjoitti 24.11.2026 10:00:'
  expect(visibleText(received(`Kiitos.\n\n${line}\n\nHello\nAnna`))).toBe('Kiitos.')
})

test.each([
  'Great. Can we meet on 12/5 at the office of ann@x.example:\nMain street 1',
  '\nGreat. Can we meet on 12/5\nat the office of ann@x.example:\nMain street 1',
  'Great. Can we meet on 12/5:',
])('a mail begins with what the person wrote, whatever it looks like: %s', (text) => {
  expect(visibleText(received(text))).toBe(text.trim())
})

test('a mail that begins with the line above a quote of ours, which has no marks, says no more than its subject', () => {
  for (const line of [
    'Anna <Anna@ours.example> kirjoitti 24.11.2026 10:00:',
    'Am Dienstag, den 24. November 2026 um 10:00 Uhr schrieb\nAnna <anna@ours.example>:',
  ]) {
    const text = `\n${line}\n\nHello Ada,\n\n${'We make engines. '.repeat(20)}\n\nAnna`
    expect(visibleText(received(text))).toBe('')
    expect(readWish(received(text))).toBeNull()
    expect(readWish({ ...received(text), subject: 'Unsubscribe' })).toBe('plain')
  }
})

test('what stands between quoted lines and below them was written by the person', () => {
  const text =
    'Hi,\nsee below.\n\nOn Tue, Nov 24, 2026 at 10:00 AM Anna wrote:\n> Price?\nTen.\n> When?\nMonday.'
  expect(visibleText(received(text))).toBe('Hi,\nsee below.\n\nTen.\nMonday.')
})

test('a list with colons is no header of a quoted mail', () => {
  const text = 'Our details:\nName: Ada\nCompany: Acme\nE-mail: ada@acme.example\n\nCall me.'
  expect(visibleText(received(text))).toBe(text)
})
