import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../ui/EmptyState.tsx'

/** What leads nowhere, and somebody else's workspace alike: the page does not say which exist. */
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
