import { parseJsonText } from '../../kernel/json/parse-json-text.ts'
import { escapePointer } from '../../kernel/json/pointer.ts'
import type { EventContent, EventType } from './catalogue/index.ts'

/** An event before it is stored. */
export interface NewEvent extends EventContent {
  type: EventType
  /** The stable value of a custom label. */
  customInterestValue?: string | null
  /** When it happened; now, if it is not given. */
  at?: Date
  /** Sample data of a test call. */
  test?: boolean
}

export const bodyBytesMax = 64 * 1024

/**
 * The exact bytes that every attempt of this event signs and sends (contract §4). Beyond 64 KiB the
 * longest texts are cut and listed in `truncated`.
 */
export function buildBody(event: NewEvent, id: string, workspaceId: string, at: Date): string {
  const payload = {
    id,
    type: event.type,
    event_id: id,
    event_type: event.type,
    timestamp: at,
    workspace_id: workspaceId,
    campaign_id: event.campaign?.id ?? null,
    campaign_name: event.campaign?.name ?? null,
    lead_email: event.leadEmail,
    custom_interest_value: event.customInterestValue ?? null,
    ...(event.test ? { test: true } : {}),
    data: event.data,
  }
  const body = JSON.stringify(payload)
  // A UTF-16 unit is at most three bytes: only a long text is worth measuring.
  if (body.length * 3 <= bodyBytesMax || Buffer.byteLength(body) <= bodyBytesMax) return body
  return shorten(parseJsonText(body) as Record<string, unknown>)
}

/** Cuts the longest texts to the greatest length with which the body fits. */
function shorten(payload: Record<string, unknown>): string {
  const texts = cuttableTexts(payload).sort((a, b) => b.bytes - a.bytes)
  const fixedBytes = Buffer.byteLength(JSON.stringify(payload)) - sum(texts)
  for (let limit = bodyBytesMax; limit >= 1; limit = Math.floor(limit * 0.9)) {
    const cut = texts.filter((text) => text.bytes > limit)
    const listBytes = sum(cut.map(({ path }) => ({ bytes: jsonBytes(path) + 1 })))
    const kept = sum(texts.map((text) => ({ bytes: Math.min(text.bytes, limit) })))
    if (fixedBytes + kept + listBytes + 64 > bodyBytesMax) continue
    for (const { holder, key, text } of cut) holder[key] = cutText(text, limit)
    return JSON.stringify({ ...payload, truncated: cut.map(({ path }) => path) })
  }
  return emptyLists(payload)
}

/** Empties the largest lists of a body that is too long although its texts are short. */
function emptyLists(payload: Record<string, unknown>): string {
  const truncated: string[] = []
  for (;;) {
    const body = JSON.stringify({ ...payload, truncated })
    if (Buffer.byteLength(body) <= bodyBytesMax) return body
    const largest = listsOf(payload).sort((a, b) => b.bytes - a.bytes)[0]
    if (!largest) return JSON.stringify({ ...payload, data: {}, truncated: ['/data'] })
    largest.holder[largest.key] = []
    truncated.push(largest.path)
  }
}

/** The outermost lists that are not empty. */
function listsOf(root: Record<string, unknown>) {
  const lists: { holder: Record<string, unknown>; key: string; path: string; bytes: number }[] = []
  const open: { value: Record<string, unknown>; path: string }[] = [{ value: root, path: '' }]
  for (let place = open.pop(); place; place = open.pop()) {
    const holder = place.value
    for (const [key, value] of Object.entries(holder)) {
      const path = pointer(place.path, key)
      if (Array.isArray(value)) {
        if (value.length > 0) lists.push({ holder, key, path, bytes: JSON.stringify(value).length })
      } else if (typeof value === 'object' && value !== null) {
        open.push({ value: value as Record<string, unknown>, path })
      }
    }
  }
  return lists
}

interface TextPlace {
  holder: Record<string, unknown>
  key: string
  path: string
  text: string
  /** Of the text in JSON, quotes and escapes included. */
  bytes: number
}

const sum = (items: { bytes: number }[]) => items.reduce((total, { bytes }) => total + bytes, 0)

const pointer = (to: string, key: string) => `${to}/${escapePointer(key)}`

/** Ids, addresses and times are never cut: a part of one is another one, or none. */
const neverCut =
  /(^|_)(id|email|mailbox|url|type|timestamp|domain|contacted_from)$|^timestamp_|^(email|cc|bcc)_list$/

/** What people name as they like is no id, whatever the name. */
const isNamedByPeople = (path: string) => path.endsWith('/custom_variables')

function cuttableTexts(root: Record<string, unknown>): TextPlace[] {
  const texts: TextPlace[] = []
  const open = [{ value: root, path: '', name: '' }]
  for (let place = open.pop(); place; place = open.pop()) {
    const holder = place.value
    for (const [key, value] of Object.entries(holder)) {
      const path = pointer(place.path, key)
      // What is in a list is what the list is named for.
      const name = Array.isArray(holder) ? place.name : key
      if (typeof value === 'object' && value !== null) {
        open.push({ value: value as Record<string, unknown>, path, name })
      } else if (typeof value === 'string' && value.length > 16) {
        if (neverCut.test(name) && !isNamedByPeople(place.path)) continue
        texts.push({ holder, key, path, text: value, bytes: jsonBytes(value) })
      }
    }
  }
  return texts
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text))

/** The longest beginning that takes at most so many bytes in JSON; never within a surrogate pair. */
function cutText(text: string, bytesMax: number): string {
  let [fits, tooLong] = [0, Math.min(text.length, bytesMax) + 1]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (jsonBytes(text.slice(0, middle)) <= bytesMax) fits = middle
    else tooLong = middle
  }
  const last = text.charCodeAt(fits - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? fits - 1 : fits)
}
