import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign, oneStep } from '../../../../test/campaigns.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const patch = (id: string, body: object) => api.call('PATCH', `/api/v2/campaigns/${id}`, { body })
const activate = (id: string) => patch(id, { status: 'active' })

const withBody = (body: string, more: object = {}) => [
  { steps: [{ variants: [{ subject: 'Hello', body, ...more }] }] },
]

describe('without a public https address for links', () => {
  test.each<[string, object, string]>([
    ['open_tracking', { open_tracking: true }, '/open_tracking'],
    ['link_tracking', { link_tracking: true }, '/link_tracking'],
    [
      'unsubscribe_url',
      { sequences: withBody('<a href="{{ unsubscribe_url }}">Leave</a>') },
      '/sequences/0/steps/0/variants/0/body',
    ],
  ])(
    'a campaign with %s does not start, and is told what to set',
    async (_what, settings, path) => {
      const { id } = await createReadyCampaign(api, settings)
      const { status, body } = await activate(id)
      expect([status, body.code]).toEqual([409, 'not_ready'])
      expect(body.details).toEqual([{ path, message: expect.stringContaining('Set TRACKING_URL') }])
    },
  )

  test('a campaign without links starts; a change that adds them is refused while it is active', async () => {
    const { id } = await createReadyCampaign(api)
    expect((await activate(id)).status).toBe(200)
    const refused = await patch(id, { open_tracking: true })
    expect([refused.status, refused.body.code]).toEqual([409, 'not_ready'])
    expect((await patch(id, { name: 'other' })).status).toBe(200)
  })

  test('a variant that is disabled asks for nothing', async () => {
    const sequences = withBody('<p>Hello</p>')
    sequences[0]?.steps[0]?.variants.push({
      ...{ subject: 'x', body: '{{unsubscribe_url}}', v_disabled: true },
    })
    const { id } = await createReadyCampaign(api, { sequences })
    expect((await activate(id)).status).toBe(200)
  })
})

test('with one, whichever process was given it, it starts', async () => {
  await using own = await testApi()
  const { id } = await createReadyCampaign(own, { open_tracking: true, link_tracking: true })
  const trackingUrl = 'https://go.example.com'
  own.ctx.keptSettings.set('TRACKING_URL', trackingUrl)
  const path = `/api/v2/campaigns/${id}`
  expect((await own.call('PATCH', path, { body: { status: 'active' } })).status).toBe(200)
})

describe('an active campaign', () => {
  test.each<[string, object[]]>([
    ['a step without an enabled variant', withBody('<p>Hi</p>', { v_disabled: true })],
    ['no step', []],
    ['a first step without a subject', withBody('<p>Hi</p>', { subject: ' ' })],
  ])('refuses a change that leaves %s, as the activation would', async (_what, sequences) => {
    const { id } = await createReadyCampaign(api)
    await activate(id)
    const { status, body } = await patch(id, { sequences })
    expect([status, body.code]).toEqual([409, 'not_ready'])
    expect(body.message).toContain('Pause the campaign first')
    expect((await api.call('GET', `/api/v2/campaigns/${id}`)).body.sequences[0].steps).toHaveLength(
      1,
    )
    await patch(id, { status: 'paused' })
    expect((await patch(id, { sequences })).status).toBe(200)
  })

  test('takes any other change of its steps', async () => {
    const { id } = await createReadyCampaign(api)
    await activate(id)
    expect((await patch(id, { sequences: [...oneStep] })).status).toBe(200)
  })
})
