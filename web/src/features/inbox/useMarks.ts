import { type RefObject, useEffect } from 'react'
import { markWords } from '../../lib/mark-words.ts'

/** Marks the words in an element, anew when what it shows has changed. */
export function useMarks(ref: RefObject<Element | null>, words: readonly string[], shown: unknown) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is looked at in the document
  useEffect(() => (ref.current ? markWords(ref.current, words) : undefined), [ref, words, shown])
}
