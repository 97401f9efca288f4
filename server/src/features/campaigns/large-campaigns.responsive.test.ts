import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

test('pages of campaigns with a megabyte of texts each lead to all of them and hold nobody up', async () => {
  await using api = await testApi()
  const body = 'Größe "XL" und <b>mehr</b>, '.repeat(7500)
  const steps = Array.from({ length: 4 }, () => ({
    ...{ delay: 1, variants: [{ subject: 'Hello', body }] },
  }))
  const large = { name: 'large', sequences: [{ steps }] }
  const made: string[] = []
  while (made.length < 40) {
    made.push((await api.call('POST', '/api/v2/campaigns', { body: large })).body.id)
  }
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${api.key}` }
  // Read as bytes: the client is in the process whose turns are measured.
  const pages: Buffer[] = []
  let after: string | undefined
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    do {
      const cursor = after ? `&starting_after=${after}` : ''
      const answer = await fetch(`${address}/api/v2/campaigns?limit=100${cursor}`, { headers })
      const parts: Uint8Array[] = []
      for await (const part of answer.body ?? []) parts.push(part)
      const page = Buffer.concat(parts)
      pages.push(page)
      after = /"next_starting_after":"([^"]+)"/.exec(
        page.toString('latin1', page.length - 100),
      )?.[1]
    } while (after)
  })
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(4 * 1024 * 1024)
  expect(heldMs).toBeLessThan(heldMaxMs)
  const items = pages.flatMap((page) => JSON.parse(page.toString()).items)
  expect(items.map(({ id }) => id)).toEqual(made.toReversed())
})
