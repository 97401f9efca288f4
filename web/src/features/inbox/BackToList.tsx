import { ActionIcon } from '@mantine/core'
import { ArrowLeft } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from './Thread.module.css'

/** Where the page shows one thing at a time. */
export function BackToList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      className={classes.back}
      aria-label={t(($) => $.inbox.back)}
      onClick={onClose}
    >
      <ArrowLeft size="1rem" aria-hidden />
    </ActionIcon>
  )
}
