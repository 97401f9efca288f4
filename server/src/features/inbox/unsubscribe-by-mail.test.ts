import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { operator } from '../audit/index.ts'
import { findSuppressed } from '../suppression/index.ts'
import { tokenBoxOf } from '../tracking/index.ts'
import { undoSuppression } from '../undo-suppression/index.ts'
import { listThreads } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const email = 'ada@lead.example'
const page = { limit: 10, startingAfter: undefined }

/** Mailboxes send through a server elsewhere, as nearly all do. */
const moveElsewhere = () =>
  inbox.ctx.database.peek.updateTable('mailboxes').set({ sends_locally: false }).execute()

/** Nobody has given a public address. */
async function contactFromElsewhere() {
  await inbox.createReadMailbox()
  await moveElsewhere()
  return inbox.contact([email])
}

const headersOf = (index: number) =>
  (inbox.outbox[index]?.source.toString() ?? '').split('\r\n\r\n')[0] ?? ''

/** The subject that a mail program takes from the mail's List-Unsubscribe. */
const subjectAsked = () => {
  const [, url = ''] = /^List-Unsubscribe: <([^>]+)>/m.exec(headersOf(0)) ?? []
  return new URL(url).searchParams.get('subject') ?? ''
}

const suppression = async () =>
  (await findSuppressed(inbox.ctx.db, inbox.workspaceId, [email])).get(email)

test('without a public address List-Unsubscribe is a mail to the sending mailbox, whose reader carries it out', async () => {
  const { leadId } = await contactFromElsewhere()
  expect(headersOf(0)).toMatch(/^List-Unsubscribe: <mailto:anna@example\.com\?subject=/m)
  expect(headersOf(0)).not.toContain('List-Unsubscribe-Post')
  expect(inbox.outbox[0]?.source.toString()).not.toContain('127.0.0.1')
  inbox.startReader()
  inbox.arrive(letter({ from: email, subject: subjectAsked(), body: '' }))
  await inbox.waitForEvents('lead.unsubscribed')
  expect(await suppression()).toBe('unsubscribed')
  expect(await inbox.lead(leadId)).toMatchObject({
    ...{ sending_state: 'stopped', stop_reason: 'unsubscribed', email_reply_count: 0 },
  })
})

test('the wish holds from whatever address it comes, and again it changes nothing', async () => {
  await contactFromElsewhere()
  inbox.startReader()
  const subject = `Re: ${subjectAsked()}`
  inbox.arrive(letter({ from: 'ada@private.example', subject }))
  inbox.arrive(letter({ from: address, subject, body: 'once more' }))
  await inbox.readAll()
  expect(await inbox.waitForEvents('lead.unsubscribed')).toHaveLength(1)
  expect(await suppression()).toBe('unsubscribed')
})

/** She has asked by mail to be left alone, and somebody has taken that back for her. */
async function unsubscribedAndBack() {
  const { leadId } = await contactFromElsewhere()
  const reader = inbox.startReader()
  inbox.arrive(letter({ from: email, subject: subjectAsked(), body: '' }))
  await inbox.waitForEvents('lead.unsubscribed')
  await undoSuppression(inbox.ctx, inbox.workspaceId, email, { unsubscribed: true }, operator)
  expect(await suppression()).toBeUndefined()
  return { leadId, reader }
}

test('what a person took back stays so when the mail with the wish is read again, wherever it lies', async () => {
  const { reader } = await unsubscribedAndBack()
  const { folders } = inbox.account(address)
  // One that has the folder open begins anew after 5 s.
  await reader.stop()
  folders.get('INBOX')?.renumber()
  inbox.startReader()
  inbox.arrive(letter({ from: email, subject: subjectAsked(), body: '' }))
  await inbox.readAll()
  expect(await suppression()).toBeUndefined()
})

test('our own answer to a wish is no wish', async () => {
  await unsubscribedAndBack()
  inbox.arrive(letter({ from: address, subject: `Re: ${subjectAsked()}`, body: 'Done.' }))
  await inbox.readAll()
  expect(await suppression()).toBeUndefined()
})

test('what a person writes in an answer with the wish in its subject reaches the inbox', async () => {
  const { leadId } = await contactFromElsewhere()
  inbox.startReader()
  const body = 'Sorry, a mistake. Please send the offer.\r\n\r\nOn Fri, Anna wrote:\r\n> Done.'
  inbox.arrive(letter({ from: email, subject: `Re: ${subjectAsked()}`, body }))
  await inbox.waitForEvents('lead.replied')
  expect(await suppression()).toBe('unsubscribed')
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
  expect(items).toMatchObject([{ id: leadId, snippet: 'Sorry, a mistake. Please send the offer.' }])
})

test('a token that is forged, or of another workspace, does nothing', async () => {
  const { leadId } = await contactFromElsewhere()
  inbox.startReader()
  const { workspaceId: foreign } = await inbox.createStranger()
  const stepId = inbox.ctx.newId()
  const ofAnother = tokenBoxOf(inbox.ctx).make({
    ...{ kind: 'unsubscribe', workspaceId: foreign, leadId, stepId, text: email },
  })
  const forged = subjectAsked().replace(/\[./, (start) => (start === '[A' ? '[B' : '[A'))
  inbox.arrive(letter({ from: 'x@nobody.example', subject: forged }))
  inbox.arrive(letter({ from: 'y@nobody.example', subject: `Unsubscribe [${ofAnother}]` }))
  await inbox.readAll()
  expect(await suppression()).toBeUndefined()
  expect(await findSuppressed(inbox.ctx.db, foreign, [email])).toEqual(new Map())
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
})

test('a campaign that was started before the address was lost is sent without links that lead nowhere', async () => {
  const steps = [
    {
      variants: [{ subject: 'Hi', body: '<a href="https://a.example/">a</a> {{unsubscribe_url}}' }],
    },
  ]
  const mailbox = await inbox.createReadMailbox()
  const tracked = { open_tracking: true, link_tracking: true, sequences: [{ steps }] }
  const { id } = await inbox.createCampaign([mailbox], tracked)
  await moveElsewhere()
  await inbox.startRunner()
  await inbox.addLeads(id, [email])
  const [mail] = await inbox.waitForMails(1)
  const source = mail?.source.toString().replaceAll('=\r\n', '') ?? ''
  expect(source).toContain('https://a.example/')
  expect(source).not.toMatch(/<img|127\.0\.0\.1/)
  expect(source).toContain('mailto:anna@example.com?subject=')
})
