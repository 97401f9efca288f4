import { randomBytes } from 'node:crypto'
import { symmetricEncrypt } from 'better-auth/crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callOf, type TestApi, testApi } from '../../../test/app.ts'
import {
  type Browser,
  openBrowser,
  owner,
  password,
  resetPasswordBy,
  setUp,
  signIn,
} from '../../../test/browser.ts'
import { createPerson } from '../../../test/people.ts'
import { codeOf } from '../../../test/second-factor.ts'
import { buildApi } from '../../app.ts'
import { createSecretBox } from '../../kernel/crypto.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { authOf } from '../users/auth.ts'
import {
  countSecondFactors,
  createPasswordReset,
  resealSecondFactors,
  resetPassword,
} from '../users/index.ts'

let api: TestApi
let browser: Browser
beforeEach(async () => {
  api = await testApi()
  browser = await setUp(api)
})
afterEach(() => api[Symbol.asyncDispose]())

const post = (from: Browser, url: string, body: object) => from.call('POST', url, { body })
const userOf = async (from: Browser) => (await from.call('GET', '/app/session')).body.user

async function enrol(from = browser) {
  const begun = await post(from, '/app/profile/second-factor', { password })
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  const { uri, backup_codes } = begun.body as { uri: string; backup_codes: string[] }
  const confirmed = await post(from, '/app/profile/second-factor/confirm', {
    code: codeOf(uri, -1),
  })
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200)
  return { uri, backup_codes }
}

async function enterPassword(at = api, email = owner.email) {
  const entering = openBrowser(at)
  const answer = await post(entering, '/app/session', { email, password })
  expect(answer.body).toEqual({ second_factor: true })
  expect(await userOf(entering)).toBeNull()
  return entering
}

test('with a second factor the password alone opens nothing, and sessions from before end', async () => {
  const before = await signIn(api, owner)
  const { uri } = await enrol()
  expect(await userOf(before)).toBeNull()
  expect(await userOf(browser)).toMatchObject({ has_second_factor: true })

  const entering = await enterPassword()
  const wrong = await post(entering, '/app/session/second-factor', { code: '000000' })
  expect([wrong.status, wrong.body.code]).toEqual([401, 'wrong_credentials'])
  const right = await post(entering, '/app/session/second-factor', { code: codeOf(uri) })
  expect(right.body).toEqual({ second_factor: false })
  expect(await userOf(entering)).toMatchObject({ email: owner.email })
})

test('a code opens once, and whoever enters it again gets in by the next one', async () => {
  const { uri } = await enrol()
  const code = codeOf(uri)
  const [first, second] = [await enterPassword(), await enterPassword()]
  expect((await post(first, '/app/session/second-factor', { code })).status).toBe(200)
  const again = await post(second, '/app/session/second-factor', { code })
  expect([again.status, again.body.code]).toEqual([401, 'wrong_credentials'])
  expect(again.body.message).toMatch(/wait for the next one/)
  expect(await userOf(second)).toBeNull()
  const next = await post(second, '/app/session/second-factor', { code: codeOf(uri, 1) })
  expect(next.body).toEqual({ second_factor: false })
})

test('a code that was used opens nothing beside the half sign-in of another person', async () => {
  const other = await createPerson(api, { email: 'mal@example.com' })
  const [{ uri }] = [await enrol(), await enrol(other.browser)]
  const code = codeOf(uri)
  const first = await enterPassword()
  expect((await post(first, '/app/session/second-factor', { code })).status).toBe(200)
  const [again, own] = [await enterPassword(), await enterPassword(api, other.email)]
  const [name, signed] = [...again.cookies].find(([each]) => each.endsWith('two_factor')) ?? []
  const identifier = own.cookies.get(String(name))?.split('.')[0]
  const cookie = `z_two_factor=${identifier}; ${name}=${signed}`
  const answer = await again.call('POST', '/app/session/second-factor', {
    ...{ body: { code }, headers: { cookie } },
  })
  expect([answer.status, answer.body.code]).toEqual([401, 'wrong_credentials'])
  expect(await userOf(again)).toBeNull()
})

test('a code opens as authenticators show it, in two groups, and still only once', async () => {
  const inGroups = (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`
  const begun = await post(browser, '/app/profile/second-factor', { password })
  const { uri, backup_codes } = begun.body as { uri: string; backup_codes: string[] }
  const confirm = { code: inGroups(codeOf(uri, -1)) }
  expect((await post(browser, '/app/profile/second-factor/confirm', confirm)).status).toBe(200)
  const code = codeOf(uri)
  const enter = async (body: object) =>
    (await post(await enterPassword(), '/app/session/second-factor', body)).status
  expect(await enter({ code: inGroups(code) })).toBe(200)
  expect(await enter({ code })).toBe(401)
  expect(await enter({ code: ` ${backup_codes[0]} `, is_backup_code: true })).toBe(200)
})

test('a sign-in that no code opens any more says to begin again', async () => {
  const { uri } = await enrol()
  const entering = await enterPassword()
  const enter = async (code: string, address: string) => {
    const options = { body: { code }, address }
    const { status, body } = await entering.call('POST', '/app/session/second-factor', options)
    return `${status} ${body.message}`
  }
  for (let n = 0; n < 5; n++) {
    const wrong = await enter('000000', `10.0.0.${n}`)
    expect(wrong).toBe(
      '401 The code is not right; enter the one that your authenticator shows now.',
    )
  }
  const again = 'Begin again with your password.'
  expect(await enter(codeOf(uri), '10.0.0.8')).toBe(`401 Too many codes were wrong. ${again}`)
  expect(await enter(codeOf(uri), '10.0.0.9')).toBe(`401 This sign-in has ended. ${again}`)
})

test('who guesses at the codes of a person waits, however often they begin anew, and nobody else does', async () => {
  const other = await createPerson(api, { email: 'mal@example.com' })
  const [{ uri }] = [await enrol(), await enrol(other.browser)]
  const guess = async (email: string) => {
    const entering = await enterPassword(api, email)
    const options = { body: { code: '000000' }, address: '10.0.0.1' }
    return (await entering.call('POST', '/app/session/second-factor', options)).status
  }
  for (let n = 0; n < 5; n++) expect(await guess(owner.email)).toBe(401)
  expect(await guess(owner.email)).toBe(429)
  expect(await guess(other.email)).toBe(401)
  const elsewhere = await enterPassword()
  expect((await post(elsewhere, '/app/session/second-factor', { code: codeOf(uri) })).status).toBe(
    200,
  )
})

test('a backup code has no two characters that look alike, and opens however it is typed', async () => {
  const { backup_codes } = await enrol()
  expect(backup_codes).toHaveLength(10)
  for (const code of backup_codes)
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  const [one = '', other = '', third = ''] = backup_codes
  const bare = (code: string) => code.replace('-', '')
  const enter = async (code: string) => {
    const body = { code, is_backup_code: true }
    const { status, body: answer } = await post(
      await enterPassword(),
      '/app/session/second-factor',
      body,
    )
    return `${status} ${answer.message ?? 'ok'}`
  }
  expect(await enter(bare(one).toLowerCase())).toBe('200 ok')
  expect(await enter(one)).toMatch(/^401 .*none of your backup codes/)
  expect(await enter(other.replaceAll('0', 'o').replaceAll('1', 'l'))).toBe('200 ok')
  expect(await enter(bare(third).replaceAll(/../g, '$& '))).toBe('200 ok')
  expect(await enter(backup_codes[3]?.replace('-', '\u2013') ?? '')).toBe('200 ok')
})

test('a backup code of before, in large and small letters, opens as it was typed', async () => {
  await enrol()
  const { $context } = await authOf(api.ctx)
  const { secretConfig: key } = await $context
  const data = JSON.stringify(['Omb20-9xqDv'])
  const backup_codes = await symmetricEncrypt({ key, data })
  await api.ctx.database.peek.updateTable('user_two_factors').set({ backup_codes }).execute()
  const body = { code: 'Omb20-9xqDv', is_backup_code: true }
  const entered = await post(await enterPassword(), '/app/session/second-factor', body)
  expect(entered.body).toEqual({ second_factor: false })
})

test('a backup code opens once, and new ones make the old ones void', async () => {
  const { backup_codes } = await enrol()
  const [one = '', other = ''] = backup_codes
  const enter = async (code: string) => {
    const entering = await enterPassword()
    return (await post(entering, '/app/session/second-factor', { code, is_backup_code: true }))
      .status
  }
  expect([await enter(one), await enter(one)]).toEqual([200, 401])
  const renewed = await post(browser, '/app/profile/second-factor/backup-codes', { password })
  expect(await enter(other)).toBe(401)
  expect(await enter(renewed.body.backup_codes[0])).toBe(200)
})

test('a second factor still opens when its key was replaced and everything sealed anew', async () => {
  const old = randomBytes(32)
  const next = randomBytes(32)
  const under = async (...keys: Buffer[]) => {
    const ctx = { ...api.ctx, config: { ...api.ctx.config }, secrets: createSecretBox(keys) }
    const app = await buildApi(ctx)
    return { ...api, app, call: callOf(app), ctx, [Symbol.asyncDispose]: () => app.close() }
  }
  await using before = await under(old)
  browser = await signIn(before, owner)
  const { uri, backup_codes } = await enrol()

  await using rotating = await under(next, old)
  expect(await resealSecondFactors(rotating.ctx)).toEqual({ resealed: 1, unreadable: 0 })
  expect(await resealSecondFactors(rotating.ctx)).toEqual({ resealed: 0, unreadable: 0 })
  expect(await countSecondFactors(rotating.ctx)).toMatchObject([
    { count: 1, key_id: rotating.ctx.secrets.keyId },
  ])

  await using after = await under(next)
  const entered = async (code: string, is_backup_code: boolean) => {
    const entering = await enterPassword(after)
    const body = { code, is_backup_code }
    return (await post(entering, '/app/session/second-factor', body)).status
  }
  expect(await entered(codeOf(uri), false)).toBe(200)
  expect(await entered(backup_codes[0] ?? '', true)).toBe(200)
  await using lost = await under(randomBytes(32))
  expect(await resealSecondFactors(lost.ctx)).toEqual({ resealed: 0, unreadable: 1 })
})

test('it is turned off with the password, and not without', async () => {
  await enrol()
  const off = (given: string) =>
    post(browser, '/app/profile/second-factor/disable', { password: given })
  expect((await off('wrong password')).status).toBe(401)
  expect((await off(password)).body.user).toMatchObject({ has_second_factor: false })
  await signIn(api, owner)
})

test('a new password ends every other session', async () => {
  const other = await signIn(api, owner)
  const change = (current_password: string) =>
    post(browser, '/app/profile/password', {
      current_password,
      new_password: 'a new battery staple',
    })
  expect((await change('wrong password')).status).toBe(401)
  expect((await change(password)).status).toBe(200)
  expect([await userOf(other), (await userOf(browser))?.email]).toEqual([null, owner.email])
})

test('a new password is the only way in: no sign-in that was half way, and no link from before', async () => {
  const { uri } = await enrol()
  const halfWay = await enterPassword()
  const { id } = await userOf(browser)
  const { path } = await createPasswordReset(api.ctx, id)
  const change = { current_password: password, new_password: 'a new battery staple' }
  expect((await post(browser, '/app/profile/password', change)).status).toBe(200)
  const entered = await post(halfWay, '/app/session/second-factor', { code: codeOf(uri) })
  expect([entered.status, entered.body.code]).toEqual([401, 'wrong_credentials'])
  const reset = await resetPasswordBy(openBrowser(api), path, 'my own battery staple')
  expect(reset.status).toBe(404)
  expect(await userOf(browser)).toMatchObject({ email: owner.email })
})

const resetTo = 'a new battery staple'
const opens = async (given: string) => {
  const answer = await post(openBrowser(api), '/app/session', {
    email: owner.email,
    password: given,
  })
  return answer.status === 200
}

test.each([
  [
    'a sign-in',
    async () => {
      const entering = openBrowser(api)
      return { entering, url: '/app/session', body: { email: owner.email, password } }
    },
  ],
  [
    'a code after it',
    async () => {
      const { uri } = await enrol()
      const body = { code: codeOf(uri) }
      return { entering: await enterPassword(), url: '/app/session/second-factor', body }
    },
  ],
  [
    'turning the second factor on',
    async () => {
      const begun = await post(browser, '/app/profile/second-factor', { password })
      const body = { code: codeOf(begun.body.uri) }
      return { entering: browser, url: '/app/profile/second-factor/confirm', body }
    },
  ],
  [
    'turning the second factor off',
    async () => {
      await enrol()
      return { entering: browser, url: '/app/profile/second-factor/disable', body: { password } }
    },
  ],
  [
    'changing it',
    async () => {
      const body = { current_password: password, new_password: 'another battery staple' }
      return { entering: browser, url: '/app/profile/password', body }
    },
  ],
])(
  '%s by the old password that is under way while it is reset opens nothing',
  async (_what, begin) => {
    const { id } = await userOf(browser)
    const { entering, url, body } = await begin()
    const { path } = await createPasswordReset(api.ctx, id)
    let entered: ReturnType<typeof post> | undefined
    await transaction(api.ctx, async (tx) => {
      await sql`lock table user_sessions in share mode`.execute(tx.db)
      entered = post(entering, url, body)
      // The password was found right.
      await api.ctx.database.untilWaiting(1)
      await resetPassword(tx, path.split('#')[1] ?? '', resetTo, async () => undefined)
    })
    expect((await entered)?.status).toBe(401)
    expect(await userOf(entering)).toBeNull()
    expect([await opens(resetTo), await opens('another battery staple')]).toEqual([true, false])
  },
)

test('a sign-in by the password alone that is under way while a second factor is turned on opens nothing', async () => {
  const begun = await post(browser, '/app/profile/second-factor', { password })
  const entering = openBrowser(api)
  const answers: ReturnType<typeof post>[] = []
  await transaction(api.ctx, async (tx) => {
    await sql`lock table user_sessions in share mode`.execute(tx.db)
    answers.push(post(entering, '/app/session', { email: owner.email, password }))
    await api.ctx.database.untilWaiting(1)
    const body = { code: codeOf(begun.body.uri) }
    answers.push(post(browser, '/app/profile/second-factor/confirm', body))
    await api.ctx.database.untilWaiting(2)
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 200])
  expect(await userOf(entering)).toBeNull()
  expect(await userOf(browser)).toMatchObject({ has_second_factor: true })
})

test('the list of sessions tells where each was opened, IPv6 or not, as people write it', async () => {
  // Sessions end by the machine's clock, and those that have ended are not listed.
  await api.ctx.useRealTime()
  for (const address of ['192.0.2.7', '2001:db8:0:0:0:0:abcd:1', '2001:db8::abcd:2']) {
    await signIn(api, owner, address)
  }
  const { items } = (await browser.call('GET', '/app/profile/sessions')).body
  const addresses = items.map((each: { ip_address: string }) => each.ip_address)
  expect(addresses.toSorted()).toEqual([
    ...['127.0.0.1', '192.0.2.7', '2001:db8::abcd:1', '2001:db8::abcd:2'],
  ])
})

test('sessions are listed and ended, one or all others', async () => {
  // Sessions end by the machine's clock, and those that have ended are not listed.
  await api.ctx.useRealTime()
  const [second, third] = [await signIn(api, owner), await signIn(api, owner)]
  const listed = await browser.call('GET', '/app/profile/sessions')
  expect(listed.body.items).toHaveLength(3)
  const current = listed.body.items.filter((each: { is_current: boolean }) => each.is_current)
  expect(current).toMatchObject([{ ip_address: '127.0.0.1' }])
  const mine = (await second.call('GET', '/app/profile/sessions')).body.items
  const { id } = mine.find((each: { is_current: boolean }) => each.is_current)
  await browser.call('DELETE', `/app/profile/sessions/${id}`)
  expect([await userOf(second), (await userOf(third))?.email]).toEqual([null, owner.email])
  await post(browser, '/app/profile/sessions/revoke-others', {})
  expect([await userOf(third), (await userOf(browser))?.email]).toEqual([null, owner.email])
})

test('the audit log tells of what opens an account, and of a sign-in only once it is whole', async () => {
  const actions = async () => {
    const { items } = (
      await browser.call('GET', '/app/audit?action=user.', {
        headers: { 'x-workspace-id': api.workspaceId },
      })
    ).body as { items: { action: string; actor_type: string }[] }
    expect(items.every(({ actor_type }) => actor_type === 'user')).toBe(true)
    return items.map(({ action }) => action.slice('user.'.length)).toReversed()
  }
  const { backup_codes } = await enrol()
  const begun = ['signed_in', 'turned_second_factor_on']
  expect(await actions()).toEqual(begun)
  const entering = await enterPassword()
  await post(openBrowser(api), '/app/session', { email: owner.email, password: 'wrong horse' })
  expect(await actions()).toEqual(begun)
  const [code = ''] = backup_codes
  await post(entering, '/app/session/second-factor', { code, is_backup_code: true })
  await post(browser, '/app/profile/second-factor/backup-codes', { password })
  const next = 'another horse battery staple'
  await post(browser, '/app/profile/password', { current_password: password, new_password: next })
  await post(browser, '/app/profile/second-factor/disable', { password: next })
  const ended = [
    'signed_in',
    'renewed_backup_codes',
    'changed_password',
    'turned_second_factor_off',
  ]
  expect(await actions()).toEqual([...begun, ...ended])
})
