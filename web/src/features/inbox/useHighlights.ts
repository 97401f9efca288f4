import { type RefObject, useEffect } from 'react'
import { highlightWords } from '../../lib/highlight-words.ts'

/** Highlights the words in an element, anew when what it shows has changed. */
export function useHighlights(
  ref: RefObject<Element | null>,
  words: readonly string[],
  shown: unknown,
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is looked at in the document
  useEffect(
    () => (ref.current ? highlightWords(ref.current, words) : undefined),
    [ref, words, shown],
  )
}
