import { createLink } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ComponentProps } from 'react'
import classes from './BackLink.module.css'

/** Above the title of a record: to the list that it stands in. */
export const BackLink = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={classes.back}>
    <ChevronLeft size="0.875rem" aria-hidden /> {children}
  </a>
))
