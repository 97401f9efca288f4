import { type FocusEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { isEqual } from './merge.ts'
import { useDraft } from './useDraft.ts'

interface Part<T> {
  /** It is not there any more when somebody has removed its step. */
  read: (campaign: Campaign) => T | undefined
  write: (value: T) => void
}

/** A value of the campaign that is given to the draft once its control is left, or by Enter. */
export function useFinished<T>({ read, write }: Part<T>) {
  const { campaign, now, unfinished } = useDraft()
  const owner = useId()
  const [typed, setTyped] = useState<{ value: T }>()
  useEffect(() => () => unfinished.finishOf(owner), [unfinished, owner])
  return {
    value: typed ? typed.value : read(campaign),
    type(value: T) {
      setTyped({ value })
      unfinished.begin({
        ...{ owner, read },
        write() {
          setTyped(undefined)
          const before = read(now())
          if (before !== undefined && !isEqual(before, value)) write(value)
        },
      })
    },
    /** Of the element around the whole control. */
    leaving: {
      onBlur({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) {
        // Whoever looks something up in another window comes back to where they were.
        const isWithin = [relatedTarget, document.activeElement].some((each) =>
          currentTarget.contains(each),
        )
        if (!isWithin) unfinished.finishOf(owner)
      },
      onKeyDown({ key, target }: KeyboardEvent<HTMLElement>) {
        // In a list it chooses.
        if (key === 'Enter' && target instanceof HTMLInputElement) unfinished.finishOf(owner)
      },
    },
  }
}
