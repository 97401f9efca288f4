import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { importText } from '../../../test/directory-files.ts'
import { patience } from '../../../test/patience.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { optOut } from '../directory/index.ts'
import { addLeads } from '../leads/index.ts'
import { addAcquiredToCampaign } from './campaign-leads.ts'
import { optOutEverywhere } from './opt-out.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const find = async (body: object, key = api.key) =>
  (await api.call('POST', '/api/v1/leadbank/find', { body, key })).body
const idOf = async (query: string) => (await find({ query })).items[0]?.id
const acquire = (contact_id: string, key = api.key) =>
  api.call('POST', '/api/v1/leadbank/acquire_email', { body: { contact_id }, key })

test('a person who asks to be removed is never found or revealed again, by anybody', async () => {
  const file = 'first_name,last_name,email,domain\nGrace,Hopper,grace@navy.example,navy.example\n'
  await importText(api.ctx, file)
  const stranger = await api.createStranger()
  const id = await idOf('grace hopper')
  expect((await acquire(id)).body).toMatchObject({ status: 'acquired', credits_charged: 1 })

  expect(await optOutEverywhere(api.ctx, 'Grace@navy.example')).toMatchObject({
    contacts_removed: 1,
  })
  for (const key of [api.key, stranger.key]) {
    expect(await acquire(id, key)).toMatchObject({ status: 409, body: { code: 'not_eligible' } })
    expect(await find({ query: 'grace hopper' }, key)).toMatchObject({ items: [], total: 0 })
    expect(await find({ company_domains: ['navy.example'] }, key)).toMatchObject({ total: 0 })
  }
  expect(await importText(api.ctx, file)).toMatchObject({ contacts_created: 0, opted_out: 1 })
  expect(await find({ query: 'grace hopper' })).toMatchObject({ total: 0 })
  expect((await acquire(id)).body.code).toBe('not_eligible')
})

test.each([
  ['annie@kept.example', 'annie@kept.example'],
  ['annie@left.example', 'left.example'],
])('no kept answer tells of %s any more, who was removed with %s', async (email, who) => {
  const domain = email.slice(email.indexOf('@') + 1)
  const header = 'first_name,last_name,email,domain\n'
  await importText(api.ctx, `${header}Annie,Easley,${email},${domain}\n`)
  await importText(api.ctx, `${header}Mae,Jemison,mae@stays.example,stays.example\n`)
  const ask = async (name: string, address: string) => {
    const body = { contact_id: await idOf(name) }
    const headers = { 'idempotency-key': `${who} ${address}` }
    const again = () => api.call('POST', '/api/v1/leadbank/acquire_email', { body, headers })
    expect((await again()).body.email).toBe(address)
    return again
  }
  const [removed, stays] = [
    await ask('annie easley', email),
    await ask('mae jemison', 'mae@stays.example'),
  ]
  const headers = { 'idempotency-key': `find ${who}` }
  const search = () => api.call('POST', '/api/v1/leadbank/find', { body: {}, headers })
  expect(JSON.stringify((await search()).body)).toContain('Easley')

  expect(await optOutEverywhere(api.ctx, who)).toMatchObject({ contacts_removed: 1 })
  expect(await removed()).toMatchObject({ status: 409, body: { code: 'not_eligible' } })
  expect(JSON.stringify((await search()).body)).not.toContain('Easley')
  const replayed = { status: 200, body: { email: 'mae@stays.example' } }
  expect(await stays()).toMatchObject(replayed)
})

test('everybody of a domain goes with it', async () => {
  await importText(
    api.ctx,
    'first_name,email,domain\nAlan,alan@gone.example,gone.example\nKay,kay@mail.example,sub.gone.example\nLee,lee@stays.example,stays.example\n',
  )
  const ids = await Promise.all(['alan', 'kay', 'lee'].map(idOf))
  for (const id of ids) expect((await acquire(id)).status).toBe(200)
  expect(await optOutEverywhere(api.ctx, 'gone.example')).toMatchObject({ contacts_removed: 2 })
  const statuses = await Promise.all(ids.map(async (id) => (await acquire(id)).status))
  expect(statuses).toEqual([409, 409, 200])
  expect(await idOf('alan')).toBeUndefined()
  expect(await idOf('kay')).toBeUndefined()
})

/** The address of a contact without one, as if a provider had found it for the workspace. */
async function reveal(name: string, email: string): Promise<string> {
  const row = `first_name,last_name,email,domain\n${name},Found,${email},found.example\n`
  await importText(api.ctx, row)
  const id = await idOf(`${name} found`)
  await acquire(id)
  const { peek } = api.ctx.database
  const key = `n:${name.toLowerCase()} found@d:found.example`
  await peek
    .updateTable('directory_contacts')
    .set({ email: null, key })
    .where('id', '=', id)
    .execute()
  return id
}

test.each(['barbara@elsewhere.example', 'elsewhere.example'])(
  'whom the directory knows without an address that a reveal found goes with %s',
  async (who) => {
    const name = who.includes('@') ? 'Barbara' : 'Radia'
    const id = await reveal(name, `${name.toLowerCase()}@elsewhere.example`)
    const other = await reveal(`Not${name}`, 'somebody@another.example')
    expect(await optOutEverywhere(api.ctx, who)).toMatchObject({ contacts_removed: 1 })
    expect(await find({ query: `${name} found` })).toMatchObject({ total: 0 })
    expect((await acquire(id)).body.code).toBe('not_eligible')
    expect((await acquire(other)).status).toBe(200)
  },
)

test('who asks by another address of theirs is hidden in lists and becomes no lead, too', async () => {
  const profile = 'linkedin.com/in/katherine'
  const row = (email: string, url: string) =>
    `first_name,last_name,email,linkedin_url,domain\nKatherine,Johnson,${email},${url},moon.example\n`
  await importText(api.ctx, row('katherine@found.example', profile))
  const contact_id = await idOf('katherine johnson')
  const { body } = await api.call('POST', '/api/v1/leadbank/acquire_email', {
    body: { contact_id, list_name: 'Moon' },
  })
  // As if a provider had found the address.
  await api.ctx.database.peek
    .updateTable('directory_contacts')
    .set({ email: null, key: 'l:in/katherine' })
    .where('id', '=', contact_id)
    .execute()
  await importText(api.ctx, row('katherine@private.example', profile))

  expect(await optOutEverywhere(api.ctx, 'katherine@private.example')).toMatchObject({
    contacts_removed: 2,
  })
  const { list_id } = body
  const list = await api.call('GET', `/api/v1/leadbank/acquire-lists/${list_id}/leads`)
  expect(list.body.items).toMatchObject([{ contact_id, opted_out: true, email: null }])
  const campaign = await api.call('POST', '/api/v2/campaigns', { body: { name: 'moon' } })
  const what = { list_id, campaign_id: campaign.body.id }
  expect(await addAcquiredToCampaign(api.ctx, api.workspaceId, what)).toMatchObject({
    contacts: 1,
    leads_uploaded: 0,
    opted_out: 1,
  })
})

async function addLead(email: string): Promise<string> {
  const campaign = await api.call('POST', '/api/v2/campaigns', { body: { name: email } })
  const body = { campaign_id: campaign.body.id, leads: [{ email }] }
  expect((await api.call('POST', '/api/v2/lead/add', { body })).body.leads_uploaded).toBe(1)
  return campaign.body.id
}

const stopReason = async (email: string) => {
  const leads = api.ctx.database.peek.selectFrom('leads').where('email_folded', '=', email)
  return (await leads.select('stop_reason').executeTakeFirstOrThrow()).stop_reason
}

describe('who asks to be removed is written to no more at another address', () => {
  const twoAddresses = (name: string) =>
    importText(
      api.ctx,
      `first_name,last_name,email,linkedin_url\n${name},Two,${name}@one.example,linkedin.com/in/${name}\n${name},Two,${name}@two.example,linkedin.com/in/${name}\n`,
    )

  test('that the directory has of the same person', async () => {
    await twoAddresses('fran')
    await addLead('fran@two.example')
    await addLead('anybody@two.example')
    const who = 'fran@one.example'
    expect(await optOutEverywhere(api.ctx, who)).toMatchObject({ leads_stopped: 1 })
    expect(await stopReason('fran@two.example')).toBe('unsubscribed')
    expect(await stopReason('anybody@two.example')).toBe(null)
  })

  test('that people of a domain have elsewhere', async () => {
    await importText(api.ctx, 'email,first_name,domain\nc@elsewhere.test.example,C,left2.example\n')
    await addLead('c@elsewhere.test.example')
    expect(await optOutEverywhere(api.ctx, 'left2.example')).toMatchObject({ leads_stopped: 1 })
    expect(await stopReason('c@elsewhere.test.example')).toBe('unsubscribed')
  })

  test.each(['gil@private.example', 'found.example'])(
    'that a reveal found, when %s is removed',
    async (who) => {
      const name = who.includes('@') ? 'gil' : 'hal'
      const email = `${name}@revealed.example`
      const id = await reveal(name, email)
      if (who.includes('@')) {
        const { peek } = api.ctx.database
        const linkedin_url = `linkedin.com/in/${name}`
        const known = peek.updateTable('directory_contacts').set({ linkedin_url })
        await known.where('id', '=', id).execute()
        await importText(api.ctx, `first_name,email,linkedin_url\n${name},${who},${linkedin_url}\n`)
      }
      const campaign_id = await addLead(email)
      expect(await optOutEverywhere(api.ctx, who)).toMatchObject({ leads_stopped: 1 })
      expect(await stopReason(email)).toBe('unsubscribed')
      const body = { campaign_id, leads: [{ email }] }
      const again = await api.call('POST', '/api/v2/lead/add', { body })
      expect(again.body).toMatchObject({ leads_uploaded: 0 })
    },
  )

  test('when the command was killed before it had stopped the leads, and is repeated', async () => {
    await twoAddresses('ida')
    await addLead('ida@two.example')
    await optOut(api.ctx, 'ida@one.example')
    expect(await optOutEverywhere(api.ctx, 'ida@one.example')).toMatchObject({
      ...{ contacts_removed: 0, leads_stopped: 1 },
    })
  })
})

test('who is being added as a lead at that moment is stopped as soon as that is done', async () => {
  const email = 'mary@adding.example'
  const campaign = await api.call('POST', '/api/v2/campaigns', { body: { name: 'adding' } })
  const { countWaiting } = api.ctx.database
  let isOver = false
  const removing = await transaction(api.ctx, async (tx) => {
    const what = { campaign_id: campaign.body.id, leads: [{ email }] }
    const options = { overwrite: false, skip_if_in_workspace: false }
    await addLeads(tx, api.workspaceId, { ...what, ...options })
    const optingOut = optOutEverywhere(api.ctx, email).finally(() => {
      isOver = true
    })
    await expect.poll(async () => isOver || (await countWaiting()) > 0, patience).toBe(true)
    // The transaction does not wait for what waits for it.
    return { optingOut }
  })
  expect(await removing.optingOut).toMatchObject({ leads_stopped: 1 })
})

test('what is neither an address nor a domain is refused', async () => {
  await expect(optOutEverywhere(api.ctx, 'nobody')).rejects.toThrow('It must be an e-mail address')
})
