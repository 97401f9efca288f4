import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Also what somebody else's workspace looks like: it does not say which exist. */
export function NotFound() {
  const { t } = useTranslation()
  return (
    <EmptyState
      isPage
      title={t(($) => $.notFound.title)}
      body={t(($) => $.notFound.body)}
      action={
        <Button variant="default" component={Link} to="/">
          {t(($) => $.notFound.home)}
        </Button>
      }
    />
  )
}
