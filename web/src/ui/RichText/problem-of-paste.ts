import { longest } from '../../lib/longest.ts'

// With more an editor stands still for seconds.
const textMax = longest.body
/** Office programs write ten times as much around the words. */
const htmlMax = 10 * textMax

/** Why something cannot be pasted into a mail; undefined: it can. */
export function problemOfPaste(data: DataTransfer | null): 'tooLong' | 'imagePasted' | undefined {
  if (!data) return undefined
  const [text, html] = [data.getData('text/plain'), data.getData('text/html')]
  if (text.length > textMax || html.length > htmlMax) return 'tooLong'
  // With the image of what was copied come its words, which are what is wanted.
  return text === '' && html === '' && data.files.length > 0 ? 'imagePasted' : undefined
}
