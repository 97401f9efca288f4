import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  generatedBomb,
  templateBombs,
  templateLead,
} from '../../../../test/hostile-inputs/templates.ts'
import { processorMs, slowness } from '../../../../test/processor-speed.ts'
import { parseTemplate, renderTemplate, TemplateError, templateVariables } from './template.ts'

/** Of processor time; what a client may have to wait for `GET /health` on a machine of usual speed. */
const heldMaxMs = 100 * slowness()

/** Parses and renders, each a turn of the event loop of its own. @returns the longer one */
function heldMs(text: string): number {
  const startedMs = processorMs()
  let parsedMs = startedMs
  try {
    const parsed = parseTemplate(text)
    parsedMs = processorMs()
    const rendering = { html: true, pick: () => 0, now: new Date(0), timezone: 'UTC' }
    renderTemplate(parsed, templateVariables(templateLead), rendering)
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
  }
  return Math.max(parsedMs - startedMs, processorMs() - parsedMs)
}

describe('no template holds up the process', () => {
  test.each(templateBombs)('%s', (_, text) => {
    expect(heldMs(text)).toBeLessThan(heldMaxMs)
  })

  test('nor any of 500 that are made of what takes long', () => {
    fc.assert(
      fc.property(generatedBomb, (text) => {
        expect(heldMs(text)).toBeLessThan(heldMaxMs)
      }),
      { numRuns: 500, seed: 20_261_122, endOnFailure: true },
    )
  })
})
