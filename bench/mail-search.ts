import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { listThreads } from '../server/src/features/inbox/index.ts'
import {
  insertMessages,
  type NewMessage,
  renewThreadWords,
  upsertThreads,
} from '../server/src/features/messages/index.ts'
import { insertLeads } from './application/leads.ts'
import { createRandom, vocabulary } from './directory-generator.ts'
import { type EachPart, type Figure, percentile, shown } from './figure.ts'
import { type BenchService, openService } from './service.ts'

export const parts: Record<string, number> = { '60k': 60_000, '200k': 200_000 }

const mailsOfThread = 3
const wordsOfMail = 120
const searches = 40
const targetMs = 100

/** An inbox of so many mails searched by their words, each search with its rows and excerpts. */
export function bench(eachPart: EachPart<number>): Promise<Figure[]> {
  return eachPart(async (mails) => {
    await using service = await openService()
    return await measure(service, mails)
  })
}

async function measure(service: BenchService, mails: number): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  await fillInbox(service, mails / mailsOfThread)
  const startedMs = performance.now()
  await renewThreadWords(ctx, workspaceId, new AbortController().signal)
  const perSecond = mails / ((performance.now() - startedMs) / 1000)
  const name = mails.toLocaleString('en-US')
  const figures: Figure[] = [shown(`${name} mails made found by upkeep`, perSecond, 'mails/s')]
  for (const [kind, wordsFor] of Object.entries(asked)) {
    const times: number[] = []
    for (let at = -5; at < searches; at++) {
      const from = performance.now()
      const page = { limit: 50, startingAfter: undefined }
      await listThreads(ctx, workspaceId, page, { view: 'waiting', search: wordsFor(at + 5) })
      if (at >= 0) times.push(performance.now() - from)
    }
    const value = percentile(times, 0.95)
    figures.push({
      ...{ name: `${name} mails, ${kind}, p95`, value, unit: 'ms' },
      ...{ target: `< ${targetMs} ms`, met: value < targetMs },
    })
  }
  return figures
}

/** The most frequent first, as words are in any language: half of a mail is of a few hundred. */
const words = [...new Set(vocabulary.lastNames.map((word) => word.toLowerCase()))]

const wordAt = (at: number) => words[at % words.length] ?? ''

const asked: Record<string, (at: number) => string> = {
  'a rare word': (at) => wordAt(words.length - 1 - 97 * at),
  'a usual word': (at) => wordAt(2000 + 17 * at),
  'a common word': wordAt,
  'three common words': (at) => [at, at + 40, at + 200].map(wordAt).join(' '),
  'three usual words': (at) => [at + 300, at + 400, at + 900].map(wordAt).join(' '),
  'the beginning of a word': (at) => wordAt(100 * at).slice(0, 3),
  'two words and a beginning': (at) => `${wordAt(at)} ${wordAt(at + 90)} ${wordAt(at).slice(0, 4)}`,
  'a name': (at) => `Last ${(at * 37) % 1000}`,
  'words that nobody has': (at) => `${wordAt(at)} xylophone`,
}

async function fillInbox(service: BenchService, threads: number) {
  const { ctx, workspaceId } = service
  const campaign = await createCampaign(ctx, workspaceId, { name: 'searched' })
  await insertLeads(service, campaign.id, threads)
  const leads = await ctx.db
    .selectFrom('leads')
    .select(['id', 'email'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  const random = createRandom(11)
  const text = () =>
    Array.from({ length: wordsOfMail }, () =>
      wordAt(Math.floor(words.length * random() ** 5)),
    ).join(' ')
  const mailbox_id = ctx.newId()
  const about = { mailbox_id, campaign_id: campaign.id }
  for (let at = 0; at < leads.length; at += 500) {
    const some = leads.slice(at, at + 500)
    const mails = some.flatMap(({ id, email }) =>
      Array.from({ length: mailsOfThread }, (_, n): NewMessage => {
        const mail = ctx.newId()
        return {
          ...{ ...about, workspace_id: workspaceId, id: mail, lead_id: id, thread_id: id },
          ...{ direction: n === 0 ? 'out' : 'in', kind: n === 0 ? 'step' : 'reply' },
          ...{ step_id: null, step: null, variant: null, message_id: `<${mail}@bench.example>` },
          ...{ in_reply_to: null, from_address: email, to_addresses: [], subject: 'Re: Hello' },
          ...{ text: text(), html: null, size_bytes: null, timestamp: ctx.now() },
        }
      }),
    )
    await insertMessages(ctx, mails)
    const rows = mails
      .filter((_, n) => n % mailsOfThread === mailsOfThread - 1)
      .map(({ thread_id, id, from_address, subject, text }) => ({
        ...{ ...about, id: thread_id, last_message_id: id, kind: 'reply', from_address, subject },
        ...{ snippet: text.slice(0, 200), suggestion: null, words: '', arrived_at: ctx.now() },
      }))
    await upsertThreads(ctx.db, workspaceId, rows, ctx.now())
  }
}
