import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { owner } from '../../../server/test/browser.ts'
import { installClock } from '../browser.ts'
import { createInboxWorld } from '../inbox-world.ts'
import { test } from './fixture.ts'

test('who has no mouse signs in, writes a campaign, answers a reply and makes a key, and sees where they are', async ({
  application,
  open,
}) => {
  await using world = await createInboxWorld(application)
  await world.converse({ email: 'ada@lead.example', first_name: 'Ada' }, { text: 'Sounds good.' })
  const page = await open(undefined, '/sign-in')
  const { keyboard } = page

  await page.locator('input[type=email]:focus').waitFor()
  await keyboard.type(owner.email)
  await goTo(page, page.getByLabel('Password', { exact: true }))
  await keyboard.type(owner.password)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  await choose(page, 'new campaign')
  await page
    .getByRole('textbox', { name: 'Name', exact: true })
    .and(page.locator(':focus'))
    .waitFor()
  await keyboard.type('By keyboard')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor()
  await mustHaveFocus(page)
  await goTo(page, page.getByRole('textbox', { name: 'Subject' }))
  await keyboard.type('Hello {{first_name}}')
  await goTo(page, page.getByRole('textbox', { name: 'Text', exact: true }))
  await keyboard.type('Hi {{first_name}}, lunch?')
  await goTo(page, page.getByRole('button', { name: 'Add step' }), 'Shift+Tab')
  await keyboard.press('Enter')
  await page.getByText('3 days later').waitFor()
  await mustHaveFocus(page)
  await goTo(page, page.getByRole('textbox', { name: 'Text', exact: true }))
  await keyboard.type('Did you see my mail?')
  await page.locator('[data-saving=saved]').waitFor()

  await choose(page, 'inbox')
  await page.getByRole('button', { name: /Ada/ }).waitFor()
  await mustHaveFocus(page)
  await keyboard.press('j')
  await page.getByRole('textbox', { name: 'Your answer' }).waitFor()
  await keyboard.press('r')
  await page.getByRole('textbox', { name: 'Your answer' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('Gladly, on Tuesday?')
  await installClock(page)
  await keyboard.press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await mustHaveFocus(page)
  await page.clock.fastForward(8000)
  const [mail] = await world.outbox.waitFor(1)
  expect(mail?.source.toString()).toContain('Gladly, on Tuesday?')

  await keyboard.press('g')
  await keyboard.press('k')
  await page.getByText('No keys yet').waitFor()
  await mustHaveFocus(page)
  const create = page.getByRole('button', { name: 'New key' }).first()
  await goTo(page, create)
  await keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('CRM sync')
  await goTo(page, page.getByRole('radio', { checked: true }))
  await keyboard.press('ArrowUp')
  expect(await page.getByRole('radio', { name: 'Read everything' }).isChecked()).toBe(true)
  await goTo(page, page.getByRole('button', { name: 'Create key' }))
  await keyboard.press('Enter')
  // The key is chosen as a whole, to be copied.
  const key = page.getByRole('textbox', { name: 'CRM sync' }).and(page.locator(':focus'))
  expect(await key.inputValue()).toMatch(/^ork_/)
  await goTo(page, page.getByRole('button', { name: 'I have stored it' }))
  await keyboard.press('Enter')
  await page.getByRole('rowheader', { name: 'CRM sync' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await mustHaveFocus(page)
})

/** By the palette. */
async function choose(page: Page, what: string) {
  await page.keyboard.press('Control+k')
  await page
    .getByRole('textbox', { name: /^Find a record/ })
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.type(what)
  await page
    .getByRole('button', { name: new RegExp(what, 'i') })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}

const stopsMost = 60

/** As far as that takes, and at each stop it is seen where one is. */
async function goTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  await wanted.waitFor()
  for (let stops = 0; stops < stopsMost; stops++) {
    if ((await wanted.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press(key)
    expect(await page.evaluate(describeFocus)).toMatch(/^shown/)
  }
  throw new Error(`${wanted} was not reached by ${key}.`)
}

/** Once what was pressed has had its effect. */
const mustHaveFocus = (page: Page) =>
  expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)

// A field shows its caret; everything else has a ring, or what stands for it beside it has one.
const describeFocus = `(() => {
  const focused = document.activeElement
  const isOnScreen = (element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect()
    return width > 0 && height > 0 && right > 0 && bottom > 0
  }
  const hasRing = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  }
  const isField = focused.matches('[contenteditable], textarea, select, input:not([type=radio], [type=checkbox])')
  const seen = isField ? [focused] : [focused, ...focused.parentElement.children].filter(hasRing)
  const state = focused === document.body ? 'lost' : seen.some(isOnScreen) ? 'shown' : 'unseen'
  return state + ' ' + focused.outerHTML.slice(0, 200)
})()`
