import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './Thread.module.css'

export function LoadingThread() {
  const { t } = useTranslation()
  return (
    <div className={classes.notice} role="status" aria-label={t(($) => $.common.loading)}>
      <Stack>
        <Skeleton height={24} width="60%" />
        <Skeleton height={160} />
        <Skeleton height={160} />
      </Stack>
    </div>
  )
}
