import { Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './Section.module.css'

interface SectionProps {
  title: string
  /** What it is for, in a sentence. */
  lead?: string
  children: ReactNode
}

/** A part of a settings page: what it is about on the left, what can be done on the right. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div>
        <Title order={2} id={id}>
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" size="sm" mt={4} style={{ textWrap: 'pretty' }}>
            {lead}
          </Text>
        )}
      </div>
      <div>{children}</div>
    </section>
  )
}
