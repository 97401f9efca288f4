import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setPlan } from '../../src/features/workspaces/index.ts'
import { share } from '../thoroughness.ts'
import { type FuzzedRequest, requestArbitrary } from './arbitrary.ts'
import { describedApi } from './described-api.ts'
import type { Described } from './document.ts'
import { marker } from './hostile.ts'
import { createWorld, type World } from './world.ts'

// A failure prints the seed and the path to run again by: FUZZ_SEED=… FUZZ_PATH=… FUZZ_RUNS=…
const { FUZZ_SEED, FUZZ_PATH, FUZZ_RUNS } = process.env
const runs = {
  numRuns: Number(FUZZ_RUNS ?? share(300)),
  ...(FUZZ_SEED ? { seed: Number(FUZZ_SEED) } : {}),
  ...(FUZZ_PATH ? { path: FUZZ_PATH } : {}),
}

const { api, receiver, document, judge, operations } = await describedApi()

test.each(operations)(
  'whatever is sent, $name answers as documented and quotes nothing',
  async (described) => {
    const stranger = await api.createStranger()
    const world = await createWorld(api, stranger, receiver.url)
    await setPlan(api.ctx, stranger.workspaceId, { rate: 0 })
    let succeeded = 0
    const holds = async (request: FuzzedRequest) => {
      const answer = await send(described, request, world)
      if (answer.status < 300) succeeded++
      expect(problemsOf(described, answer)).toEqual([])
    }
    const requests = requestArbitrary(document, described, world)
    await fc.assert(fc.asyncProperty(requests, holds), runs)
    // Without a request that succeeds nothing behind the first check was tried.
    for (let more = 0; more < 50 && succeeded === 0 && !FUZZ_PATH; more++) {
      for (const request of fc.sample(requests, { numRuns: 100, seed: more })) await holds(request)
    }
    if (!FUZZ_PATH) expect(succeeded).toBeGreaterThan(0)
  },
  600_000,
)

async function send({ method }: Described, { url, headers, payload }: FuzzedRequest, world: World) {
  const response = await api.app.inject({
    method: method as 'GET',
    url,
    headers: {
      authorization: `Bearer ${world.key}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

function problemsOf(described: Described, answer: Awaited<ReturnType<typeof send>>): string[] {
  const { status, body } = answer
  if (status >= 500) return [`${status}: ${api.ctx.logLines.at(-2)}`]
  if (status < 400) return judge.problemsOf(described, answer)
  const problems =
    body.code === 'unknown_path'
      ? judge.problemsOfUnknownPath(answer)
      : judge.problemsOf(described, answer)
  return quotes(body) ? [...problems, `quotes what was sent: ${JSON.stringify(body)}`] : problems
}

/** An unknown mailbox of `email_list` is named by contract (§6): it should be the workspace's own. */
function quotes(body: { message: string; details?: { path: string; message: string }[] }): boolean {
  const { message, details = [] } = body
  if (details.some(({ path }) => path.startsWith('/email_list'))) return false
  return [message, ...details.map((each) => each.message)].some((text) => text.includes(marker))
}
