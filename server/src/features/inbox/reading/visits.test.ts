import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { type FaultyImap, startImapFaults } from '../../../../test/mail/imap-faults.ts'
import { createSignal } from '../../../../test/signal.ts'

const lead = 'ada@lead.example'

let inbox: Inbox
let proxy: FaultyImap
/** The commands of all connections to the mail server, in their order. */
let commands: string[]
let isBroken: (command: string) => boolean
const heard = createSignal()
beforeEach(async () => {
  inbox = await testInbox()
  // Nothing waits for long.
  inbox.ctx.sleep = (ms, signal) =>
    wait(Math.min(ms, 30), undefined, { ...(signal ? { signal } : {}) }).catch(() => undefined)
  commands = []
  isBroken = () => false
  proxy = await startImapFaults(inbox.imapPort, {
    fault({ name }) {
      commands.push(name)
      heard.raise()
      return isBroken(name) ? 'drop' : undefined
    },
  })
  await inbox.createReadMailbox(proxy.port)
})
afterEach(async () => {
  await inbox[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const copies = () => inbox.account(address).folders.get('Sent')?.mails ?? []
const answer = (messageId: string) => letter({ from: lead, headers: [`In-Reply-To: ${messageId}`] })

/** A mail was sent and its copy filed, and whoever filed it listens in the inbox again. */
async function sendAndFile() {
  inbox.startReader()
  await inbox.readAll()
  await inbox.startSender()
  const { messageId } = await inbox.contact([lead])
  await heard.until(() => {
    const filed = commands.indexOf('APPEND')
    return filed >= 0 && commands.lastIndexOf('IDLE') > filed
  })
  expect(copies()).toHaveLength(1)
  return messageId
}

test('a copy is filed over the connection that reads the mailbox, and it is read on', async () => {
  inbox.arrive(answer(await sendAndFile()))
  await inbox.waitForEvents('lead.replied')
  expect(proxy.connections).toBe(1)
})

test('an uncertain mail is looked for over the connection that reads the mailbox', async () => {
  await sendAndFile()
  commands.length = 0
  const uncertain = { state: 'uncertain', look_at: inbox.ctx.now() }
  await inbox.ctx.database.peek.updateTable('sends').set(uncertain).execute()
  await inbox.waitForLedger(([entry]) => entry?.state === 'sent')
  // Who only reads on asks for the folders five minutes later.
  expect(commands).toContain('LIST')
  expect(proxy.connections).toBe(1)
})

test('where the connection is lost over a copy the mailbox is read on', async () => {
  isBroken = (name) => name === 'LIST' && commands.filter((each) => each === 'LIST').length === 2
  inbox.startReader()
  await inbox.readAll()
  await inbox.startSender()
  const { messageId } = await inbox.contact([lead])
  await proxy.connected(2)
  inbox.arrive(answer(messageId))
  await inbox.waitForEvents('lead.replied')
  expect(inbox.ctx.logLines.join('')).toContain('a Sent folder lacks mails')
})
