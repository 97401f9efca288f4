import type { ReactNode } from 'react'
import classes from './CodeBlock.module.css'

interface CodeBlockProps {
  /** What it is, for who cannot see where it stands. */
  label: string
  children: ReactNode
}

/** Text as it was sent, in lines of their own; long ones are broken, and what is long scrolls. */
export const CodeBlock = ({ label, children }: CodeBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: so that it can be scrolled by keyboard
  // biome-ignore lint/a11y/useSemanticElements: a <section> cannot keep its spaces
  <pre role="region" aria-label={label} tabIndex={0} className={classes.block}>
    {children}
  </pre>
)
