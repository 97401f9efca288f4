import { snippetOf } from '../../../kernel/text.ts'
import { isBulk, isFromList } from '../classify/bulk.ts'
import { classify, type Inbound } from '../classify/classify.ts'
import { safeHtml } from '../classify/html.ts'
import { nameOfAttachment, type ParsedMessage, parseMessage } from '../classify/message.ts'
import { visibleText } from '../classify/visible-text.ts'

/** A mail, parsed and classified. */
export interface Understood {
  message: Omit<ParsedMessage, 'header'>
  inbound: Inbound
  /** Without what it quotes. */
  text: string
  /** Of one without a text it says what is attached. */
  snippet: string
  /** A newsletter, or what a mailing list passes on. */
  isForMany: boolean
}

/** @param receivedAt what dates without a year are read by */
export async function understand(source: Buffer, receivedAt: Date): Promise<Understood> {
  const parsed = await parseMessage(source)
  const inbound = classify(parsed, receivedAt)
  const { header: _header, ...message } = parsed
  const text = visibleText(parsed)
  return {
    message,
    inbound,
    text,
    snippet: snippetOf(text) || snippetOf(attachedTo(parsed)),
    // A machine that answers for a person may well say "bulk".
    isForMany: isFromList(parsed) || (inbound.kind === 'reply' && isBulk(parsed)),
  }
}

function attachedTo({ attachments }: ParsedMessage): string {
  const names = attachments.map(nameOfAttachment).join(', ')
  return names && `Attached: ${names}`
}

/** As it came, for who shows it to make safe; null where it is longer than any person's mail. */
export const keptHtml = ({ html }: Pick<ParsedMessage, 'html'>): string | null =>
  html !== null && html.length > shownCharactersMax ? null : html

/** The HTML of a mail, safe to be shown; null where it is longer than any person's mail. */
export function shownHtml({ html }: Pick<ParsedMessage, 'html'>): string | null {
  const safe = html === null ? null : safeHtml(html)
  return safe !== null && safe.length > shownCharactersMax ? null : safe
}

const shownCharactersMax = 1_000_000
