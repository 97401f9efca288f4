import { Button, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './EmptyState.module.css'

interface EmptyStateProps {
  title: string
  /** What to do next, in a sentence. */
  body: string
  action?: ReactNode
  /** In place of the action where filters leave nothing: takes them away. */
  onReset?: (() => void) | false | undefined
  /** In place of a whole page, whose heading it is. */
  isPage?: boolean
}

/** There is nothing yet, or nothing that matches: what it is, and what to do. */
export function EmptyState({ title, body, action, onReset, isPage = false }: EmptyStateProps) {
  const { t } = useTranslation()
  const shown = onReset ? (
    <Button variant="default" onClick={onReset}>
      {t(($) => $.common.resetFilters)}
    </Button>
  ) : (
    action
  )
  return (
    <Stack align="center" gap="xs" py="4rem" px="md" ta="center">
      <Title order={isPage ? 1 : 2}>{title}</Title>
      <Text c="dimmed" maw="28rem">
        {body}
      </Text>
      {shown && <div className={classes.action}>{shown}</div>}
    </Stack>
  )
}
