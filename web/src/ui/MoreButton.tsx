import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface MoreButtonProps {
  /** A query that is read page by page. */
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** The next page, as long as there is one. */
export function MoreButton({ pages }: MoreButtonProps) {
  const { t } = useTranslation()
  return (
    pages.hasNextPage && (
      <Button
        variant="default"
        mt="md"
        loading={pages.isFetchingNextPage}
        onClick={() => void pages.fetchNextPage()}
      >
        {t(($) => $.common.more)}
      </Button>
    )
  )
}
