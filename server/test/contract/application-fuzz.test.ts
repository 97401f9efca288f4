import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPerson, join } from '../people.ts'
import { share } from '../thoroughness.ts'
import { createApplicationWorld } from './application-world.ts'
import { requestArbitrary } from './arbitrary.ts'
import { describedApplication } from './described-api.ts'
import { marker } from './hostile.ts'

const { FUZZ_SEED, FUZZ_PATH, FUZZ_RUNS } = process.env
const runs = {
  numRuns: Number(FUZZ_RUNS ?? share(60)),
  ...(FUZZ_SEED ? { seed: Number(FUZZ_SEED) } : {}),
  ...(FUZZ_PATH ? { path: FUZZ_PATH } : {}),
}

const { api, receiver, document, judge, operations } = await describedApplication()
const { paths } = (await api.app.inject('/openapi.json')).json()
// The twins of the public operations are the same handlers, and fuzz.test.ts tries those.
const own = operations.filter(({ path }) => !(path.replace(/^\/app/, '') in paths))

interface Refusal {
  message?: string
  details?: { message: string }[]
}

test.each(own)(
  'whatever is sent, $name answers as documented and quotes nothing',
  async (described) => {
    const stranger = await api.createStranger()
    const world = await createApplicationWorld(api, stranger, receiver.url)
    const email = `${api.ctx.newId()}@fuzz.example`
    const person = await createPerson(api, { email, isOperator: true })
    await join(api, world.workspaceId, person, 'owner')
    await fc.assert(
      fc.asyncProperty(
        requestArbitrary(document, described, world),
        async ({ url, headers, payload }) => {
          const cookie = [...person.browser.cookies].map((pair) => pair.join('=')).join('; ')
          const response = await api.app.inject({
            method: described.method as 'GET',
            url,
            headers: {
              ...{ cookie, 'x-workspace-id': world.workspaceId },
              ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
              ...headers,
            },
            ...(payload === undefined ? {} : { payload }),
          })
          const isJson = /^application\/json\b/.test(String(response.headers['content-type']))
          const body = isJson ? response.json() : response.body
          const answer = { status: response.statusCode, headers: response.headers, body }
          // Nothing sends mails here, and whoever answers in a conversation is told so.
          const isAnswer = described.path === '/app/threads/{id}/reply'
          const isNotSent = isAnswer && answer.status === 503 && body.code === 'unavailable'
          if (!isNotSent) expect(answer.status, api.ctx.logLines.at(-2)).toBeLessThan(500)
          const isUnknown = body.code === 'unknown_path'
          const problems = isUnknown
            ? judge.problemsOfUnknownPath(answer)
            : judge.problemsOf(described, answer)
          expect(problems).toEqual([])
          const { message = '', details = [] } = body as Refusal
          const said = [message, ...details.map((each) => each.message)].join()
          expect(said).not.toContain(marker)
        },
      ),
      runs,
    )
  },
  120_000,
)
