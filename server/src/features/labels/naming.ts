import { automaticStatuses, builtinStatuses, foldStatus } from './builtin-statuses.ts'

/** Names at most this long, in code points. */
const charactersMax = 255

/**
 * A name and a value are both ways to say the label in `new_status`, so neither may be read as
 * another label's or as a status that every workspace has.
 *
 * @param others the workspace's other labels, archived ones too
 * @returns a sentence that says what is wrong
 */
export function problemWithName(
  name: string,
  others: { name: string; value: string }[],
): string | undefined {
  if (name === '') return 'name must not be empty'
  if ([...name].length > charactersMax) return `name must have at most ${charactersMax} characters`
  if (!name.isWellFormed() || /\p{Cc}/u.test(name))
    return 'name must not contain control characters'
  if (slugOf(name) === '') return 'name must contain a letter or a digit'
  const spellings = [foldStatus(name), foldStatus(slugOf(name))]
  if (spellings.some((spelling) => reserved.has(spelling))) {
    return 'name must not be that of a built-in status'
  }
  const taken = new Set(others.flatMap((label) => [label.name, label.value]).map(foldStatus))
  if (spellings.some((spelling) => taken.has(spelling))) {
    return "name must differ from the names and values of the workspace's other labels"
  }
}

/** `Call back — later` becomes `call_back_later`; letters of any script stay. */
export const slugOf = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')

const reserved = new Set([...builtinStatuses, ...automaticStatuses].map(foldStatus))
