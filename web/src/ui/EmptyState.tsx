import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

interface EmptyStateProps {
  title: string
  /** What to do next, in a sentence. */
  body: string
  action?: ReactNode
  /** In place of a whole page, whose heading it is. */
  isPage?: boolean
}

/** There is nothing yet, or nothing that matches: what it is, and what to do. */
export const EmptyState = ({ title, body, action, isPage = false }: EmptyStateProps) => (
  <Stack align="center" gap="xs" py="4rem" px="md" ta="center">
    <Title order={isPage ? 1 : 2}>{title}</Title>
    <Text c="dimmed" maw="28rem">
      {body}
    </Text>
    {action && <div className={classes.action}>{action}</div>}
  </Stack>
)
