import { type Figure, percentile } from '../figure.ts'
import type { Page } from './application-bench.ts'

const turns = 8
const rowsToPass = 5000
const firstRowsMsMax = 500
const taskMsMax = 100

interface Table {
  name: string
  page: Page
  /** Shows the page from which one goes to the table. */
  leave: () => Promise<void>
  /** What is clicked there. */
  link: string
  /** Asks the server for the first rows, and no more. */
  askFirst: () => Promise<Response>
}

/** Until rows stand in a long list, and how smoothly they pass. */
export async function measureTable(table: Table): Promise<Figure[]> {
  const { name, page, leave, link, askFirst } = table
  const openings: number[] = []
  const answers: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    await leave()
    const target = page.getByRole('link', { name: link, exact: true }).first()
    await target.waitFor()
    const startedMs = performance.now()
    await target.click()
    await page.locator('[data-index="0"]').waitFor()
    openings.push(performance.now() - startedMs)
    const askedMs = performance.now()
    await (await askFirst()).text()
    answers.push(performance.now() - askedMs)
  }
  const opening = percentile(openings, 0.5)
  const longest = await scroll(page)
  return [
    {
      name: `first rows of ${name}, p50 (slowest ${Math.round(Math.max(...openings))} ms)`,
      value: opening,
      unit: 'ms',
      limit: { name: 'the answer with them', value: percentile(answers, 0.5) },
      target: `< ${firstRowsMsMax} ms`,
      met: opening < firstRowsMsMax,
    },
    {
      name: `longest task while ${rowsToPass.toLocaleString('en-US')} rows pass (0: none above 50)`,
      value: longest,
      unit: 'ms',
      target: `≤ ${taskMsMax} ms`,
      met: longest <= taskMsMax,
    },
  ]
}

/** As a wheel does it, as fast as rows come. @returns the longest task of the page meanwhile, in ms */
async function scroll(page: Page): Promise<number> {
  await page.evaluate(`
    window.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration)
    }).observe({ type: 'longtask' })`)
  await page.getByRole('grid').hover()
  const lastRow = () =>
    page.evaluate(`Number([...document.querySelectorAll('[data-index]')].at(-1)?.dataset.index)`)
  for (let row = 0; row < rowsToPass; row = Number(await lastRow())) {
    for (let turn = 0; turn < 5; turn++) await page.mouse.wheel(0, 800)
  }
  return (await page.evaluate('Math.max(0, ...window.longTasks)')) as number
}
