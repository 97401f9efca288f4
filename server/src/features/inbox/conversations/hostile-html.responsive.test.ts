import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { filled, sourceBytesMax } from '../../../../test/hostile-inputs/mails.ts'
import { type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { showMail } from './show-mail.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

let inbox: Inbox
let owner: Browser
beforeAll(async () => {
  inbox = await testInbox()
  owner = await setUp(inbox)
  // Before the reader, which looks for new ones every 5 s.
  await inbox.createReadMailbox()
  inbox.startReader()
})
afterAll(() => inbox[Symbol.asyncDispose]())

const read = (id: string) =>
  owner.call('GET', `/app/threads/${id}`, { headers: { 'x-workspace-id': inbox.workspaceId } })

let people = 0

/** Somebody has answered in HTML. @returns id of the conversation */
async function answered(html: string): Promise<string> {
  people += 1
  const email = `person${people}@lead.example`
  const { leadId, messageId } = await inbox.contact([email])
  const headers = [`In-Reply-To: ${messageId}`, 'Content-Type: text/html']
  inbox.arrive(letter({ from: email, headers, body: html }))
  await inbox.untilRead(async () => ((await read(leadId)).status === 200 ? true : undefined))
  return leadId
}

test.each([
  ['pictures that never end', '<img '],
  ['pictures without an address', '<img src '],
  ['a picture with a wide gap', `<img src=${' '.repeat(sourceBytesMax)}`],
])('a conversation with %s is shown and holds up nobody', async (_what, html) => {
  // What is loaded for the first one is loaded by then.
  await read(await answered('<p>Yes.</p>'))
  const id = await answered(filled(html))
  let shown: Awaited<ReturnType<typeof read>> | undefined
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    shown = await read(id)
  })
  expect(shown?.body.messages[0]).toMatchObject({ has_html: true, has_remote_images: false })
  expect(heldMs).toBeLessThan(heldMaxMs)
})

test.each([
  ['links that never end', '<a href="http://x.example">'],
  ['signs of tags', '<'],
  ['tags in tags', `${'<div>'.repeat(490)}${'</div>'.repeat(490)}`],
  ['pictures of signs', '<img alt="<<<<">'],
  ['pictures with addresses like ours', `<img src="//x.example/o/${'a'.repeat(87)}">`],
])('a mail of %s is shown and holds up nobody', async (_what, html) => {
  const body = async (of: string) => {
    const { messages } = (await read(await answered(of))).body
    const headers = { 'x-workspace-id': inbox.workspaceId }
    return () => owner.call('GET', `/app/messages/${messages[0].id}/body?images=true`, { headers })
  }
  await (await body('<p>Yes.</p>'))()
  const show = await body(filled(html))
  let shown: Awaited<ReturnType<typeof show>> | undefined
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    shown = await show()
  })
  expect([shown?.status, String(shown?.body).slice(0, 15)]).toEqual([200, '<!doctype html>'])
  expect(heldMs).toBeLessThan(heldMaxMs)
})

test('of a mail that takes too long to show there is its text, and the next one is shown whole', async () => {
  const mail = { html: filled('<p>Whole</p>'), text: 'Its text' }
  const options = { showsImages: false }
  expect(await showMail(inbox.workspaceId, mail, options, 0)).toContain(
    '<div class="text">Its text</div>',
  )
  expect(await showMail(inbox.workspaceId, mail, options)).toContain('<p>Whole</p><p>Whole</p>')
})
