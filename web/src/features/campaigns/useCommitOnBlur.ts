import { type FocusEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { isEqual } from './merge.ts'
import { useDraft } from './useDraft.ts'

interface CampaignValue<T> {
  /** The value is not there any more when somebody has removed its step. */
  read: (campaign: Campaign) => T | undefined
  write: (value: T) => void
}

/** A value of the campaign that is given to the draft once its control is left, or by Enter. */
export function useCommitOnBlur<T>({ read, write }: CampaignValue<T>) {
  const { campaign, now, uncommitted } = useDraft()
  const owner = useId()
  const [typed, setTyped] = useState<{ value: T }>()
  useEffect(() => () => uncommitted.commitOf(owner), [uncommitted, owner])
  return {
    value: typed ? typed.value : read(campaign),
    type(value: T) {
      setTyped({ value })
      uncommitted.start({
        ...{ owner, read },
        write() {
          setTyped(undefined)
          const before = read(now())
          if (before !== undefined && !isEqual(before, value)) write(value)
        },
      })
    },
    /** Of the element around the whole control. */
    commitHandlers: {
      onBlur({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) {
        // Whoever looks something up in another window comes back to where they were.
        const isWithin = [relatedTarget, document.activeElement].some((each) =>
          currentTarget.contains(each),
        )
        if (!isWithin) uncommitted.commitOf(owner)
      },
      onKeyDown({ key, target }: KeyboardEvent<HTMLElement>) {
        // In a list it chooses.
        if (key === 'Enter' && target instanceof HTMLInputElement) uncommitted.commitOf(owner)
      },
    },
  }
}
