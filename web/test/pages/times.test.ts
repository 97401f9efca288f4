import { expect } from 'vitest'
import { createMember } from '../../../server/test/people.ts'
import { goTo, installClock } from '../browser.ts'
import { test } from './fixture.ts'

const members = '/w/default/settings/members'

test('a time goes on while its page stands, and tells its zone to a mouse, a finger and the keyboard', async ({
  application,
  open,
}) => {
  const { api } = application
  await createMember(api, 'bob@example.com', 'member')
  const page = await open(application.visitor, members)
  await installClock(page)
  await page.reload()
  const time = page.getByRole('row', { name: /bob@example\.com/ }).getByRole('time')
  await time.waitFor()
  await page.clock.fastForward('05:00')
  await expect.poll(() => time.textContent()).toMatch(/min\. ago/)
  const exact = (await time.getAttribute('title')) ?? ''
  // The zone of the browser that the test runs in.
  expect(exact).toMatch(/ (UTC|GMT\S*|[A-Z]{3,4})$/)
  const told = page.getByRole('tooltip')
  await time.click()
  expect(await told.textContent()).toBe(exact)
  await page.keyboard.press('Escape')
  await told.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More for Test' }).focus()
  expect(await told.textContent()).toBe(exact)
  // Past the role, and past the menu of the row of one's own.
  for (let n = 0; n < 3; n++) await page.keyboard.press('Shift+Tab')
  await told.waitFor({ state: 'detached' })

  // A clock that is a day off is not that of the server.
  await page.clock.setSystemTime(Date.now() + 86_400_000)
  await goTo(page, '/w/default/settings/audit')
  const recorded = page.getByRole('table').getByRole('time').first()
  expect(await recorded.getAttribute('title')).toMatch(/^(now|.* (sec|min)\. ago)$/)

  // Nor is that of the machine that answers, whose database has another one.
  api.ctx.clock.advance(3 * 3_600_000)
  await createMember(api, 'carol@example.com', 'member')
  await goTo(page, members)
  const written = page.getByRole('row', { name: /carol@example\.com/ }).getByRole('time')
  expect(await written.textContent()).toMatch(/^(now|.* (sec|min)\. ago)$/)
})
