import { ExactReader } from './exact-reader.ts'

/**
 * JSON.parse, for every text whose keys somebody else has chosen. V8 14.6 (Node 26) takes a key that is
 * written with an escape for another one that it has read at the same place before: after
 * `{"a":0,"\\":1}` it reads `{"a":0,"\n":1}` with a backslash for the line feed, also when the two texts
 * belong to two workspaces. So JSON.parse never sees a text with such a key, neither to misread it nor to
 * remember it.
 *
 * @throws SyntaxError
 */
export function parseJsonText(text: string): unknown {
  if (!hasEscapedKey(text)) return JSON.parse(text)
  const steps = new ExactReader(text).readText()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Whether a key of an object is written with an escape. Of what is no JSON it may say either. */
export function hasEscapedKey(text: string): boolean {
  let at = text.indexOf('\\')
  while (at !== -1) {
    // The escape lies in a string: a key is what a colon follows.
    while (at < text.length && text.charCodeAt(at) !== quote) {
      at += text.charCodeAt(at) === backslash ? 2 : 1
    }
    at++
    while (isBlank(text.charCodeAt(at))) at++
    if (text.charCodeAt(at) === colon) return true
    at = text.indexOf('\\', at)
  }
  return false
}

const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d)
const [quote, colon, backslash] = [0x22, 0x3a, 0x5c]
