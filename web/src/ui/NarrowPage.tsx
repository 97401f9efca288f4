import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageInTitle } from '../lib/tab-title.ts'
import classes from './NarrowPage.module.css'
import { Wordmark } from './Wordmark.tsx'

/** A page before somebody is signed in: one thing to do, in the middle. */
export function NarrowPage({
  title,
  lead,
  children,
}: {
  title: string
  lead?: string
  children?: ReactNode
}) {
  usePageInTitle(title)
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Wordmark />
        <Title order={1} mt="lg">
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" mt={4} style={{ textWrap: 'pretty' }}>
            {lead}
          </Text>
        )}
        <div className={classes.body}>{children}</div>
      </div>
    </main>
  )
}
