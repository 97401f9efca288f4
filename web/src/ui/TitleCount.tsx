import { VisuallyHidden } from '@mantine/core'
import { useContext } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { numberText } from '../lib/number.ts'
import { TitleSlot } from './title-slot.ts'

interface TitleCountProps {
  count: number
  /** There are others, not read yet: how many is not known. */
  hasMore?: boolean
}

/** How many there are, beside the title of the page. */
export function TitleCount({ count, hasMore = false }: TitleCountProps) {
  const { t } = useTranslation()
  const slot = useContext(TitleSlot)
  if (!slot || hasMore) return null
  return createPortal(
    <>
      {numberText(count)}
      <VisuallyHidden> {t(($) => $.table.inAll)}</VisuallyHidden>
    </>,
    slot,
  )
}
