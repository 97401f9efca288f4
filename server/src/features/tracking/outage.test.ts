import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { tokenBoxOf, type WebLinks, webLinks } from './index.ts'

let api: TestApi
let links: WebLinks
const mail = {
  workspaceId: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  leadId: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
  stepId: '019a9d5e-2222-7c31-9d0a-5e1f6a2b3c4d',
}

beforeAll(async () => {
  api = await testApi()
  links = webLinks(tokenBoxOf(api.ctx), 'http://localhost')
  // From here on every statement fails.
  await api.ctx.db.destroy()
})
afterAll(() => api[Symbol.asyncDispose]())

const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method, url: url.replace('http://localhost', ''), headers })

test('without the database who follows a link gets there all the same', async () => {
  const answer = await ask('GET', links.click(mail, 'https://example.com/'))
  expect([answer.statusCode, answer.headers.location]).toEqual([302, 'https://example.com/'])
  expect((await ask('GET', links.open(mail))).statusCode).toBe(200)
  expect((await ask('GET', links.unsubscribe(mail, 'ann@example.com'))).statusCode).toBe(200)
  expect(api.ctx.logLines.filter((line) => line.includes('request failed'))).toHaveLength(2)
  expect(api.ctx.logLines.join('')).not.toMatch(/example\.com/)
})

test.each([
  ['en', 'try again'],
  ['fr', 'réessayer'],
])('who unsubscribes is told that it did not work: %s', async (language, words) => {
  const headers = { 'accept-language': language }
  const answer = await ask('POST', links.unsubscribe(mail, 'ann@example.com'), headers)
  expect(answer.statusCode).toBeGreaterThanOrEqual(500)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(answer.body).toContain(`<html lang="${language}">`)
  expect(answer.body).toContain(words)
})

test('what is no token costs the database nothing', async () => {
  const before = api.ctx.logLines.length
  for (const path of ['/u/x', '/o/x.gif', '/c/x', `/c/${'A'.repeat(300)}`]) {
    expect((await ask('GET', path)).statusCode).toBe(404)
  }
  expect((await ask('POST', '/u/x')).statusCode).toBe(404)
  expect(api.ctx.logLines.slice(before).filter((line) => line.includes('failed'))).toEqual([])
})
