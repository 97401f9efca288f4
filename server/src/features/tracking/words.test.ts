import { expect, test } from 'vitest'
import { askPage, badLinkPage, donePage, faultPage } from './pages.ts'
import { wordsFor } from './words.ts'

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['DE-at, en;q=0.5', 'de'],
  ['ja, fr-CA;q=0.8, en;q=0.9', 'en'],
  ['ja, fr-CA;q=0.9, en;q=0.8', 'fr'],
  ['de;q=0, es-419', 'es'],
  ['it-IT', 'it'],
  ['nl', 'nl'],
  ['pl-PL,pl;q=0.9', 'pl'],
  ['pt-BR', 'pt'],
  ['ja', 'en'],
  ['de;q=x,;;,=', 'en'],
])('%s is answered in %s', (accepted, language) => {
  expect(wordsFor(accepted).language).toBe(language)
})

test('a list without end is read to some point', () => {
  expect(wordsFor(`${','.repeat(100_000)}de`).language).toBe('en')
})

test.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'])('every page speaks %s', (language) => {
  const words = wordsFor(language)
  const pages = [
    askPage('ann@example.com', words),
    donePage('ann@example.com', words),
    badLinkPage(words),
    faultPage(500, words),
    faultPage(400, words),
  ]
  for (const { html } of pages) expect(html).toContain(`<html lang="${language}">`)
  const [ask, done] = pages
  for (const page of [ask, done]) expect(page?.html).toContain('<strong>a…@example.com</strong>')
  expect(new Set(pages.map(({ html }) => html)).size).toBe(5)
  expect(ask?.html).toContain(`>${words.unsubscribe}</button>`)
  // Whoever reads that it is done goes without pressing the button.
  const isDone = words.noMore.replace('%', '<strong>a…@example.com</strong>')
  expect(ask?.html).not.toContain(`<p>${isDone}`)
  expect(done?.html).toContain(isDone)
})
