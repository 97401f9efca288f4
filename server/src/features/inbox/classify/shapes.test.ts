import { expect, test } from 'vitest'
import { shapes } from '../../../../test/mail/shapes.ts'
import { snippetOf } from '../../../kernel/text.ts'
import { classify, type Inbound } from './classify.ts'
import { parseMessage } from './message.ts'
import { visibleText } from './visible-text.ts'

const receivedAt = new Date('2026-11-24T10:00:00Z')

/** As the corpus writes it. */
function inShort(inbound: Inbound): string {
  switch (inbound.kind) {
    case 'reply':
      return inbound.wish ? `reply wish=${inbound.wish}` : 'reply'
    case 'auto_reply':
      return ['auto', inbound.isOutOfOffice && 'out', inbound.returnsOn].filter(Boolean).join(' ')
    case 'bounce':
      return inbound.bounces
        .map(({ kind, code, isDelay }) => `${isDelay ? 'late' : kind} ${code}`)
        .join(', ')
    case 'complaint':
      return ['complaint', inbound.recipient].filter(Boolean).join(' ')
    case 'notice':
      return 'notice'
  }
}

test('the corpus has mail of every kind, each under a name of its own', () => {
  expect(shapes.length).toBeGreaterThanOrEqual(150)
  expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length)
})

test.each(shapes)('$name: $verdict', async ({ verdict, written, source }) => {
  const message = await parseMessage(source)
  expect(inShort(classify(message, receivedAt))).toBe(verdict)
  if (written !== undefined) expect(snippetOf(visibleText(message))).toBe(written)
})
