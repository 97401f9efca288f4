import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './PlaceLink.module.css'

interface PlaceLinkProps {
  /** An address within the application, for what only what was read tells. */
  place: string
  /** It needs no attention. */
  isPlain?: boolean
  children: ReactNode
}

/** A link to an address that is put together; where the route is known, the router's own is checked. */
export function PlaceLink({ place, isPlain = false, children }: PlaceLinkProps) {
  const router = useRouter()
  return (
    <a
      href={place}
      className={classes.link}
      data-plain={isPlain || undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        router.history.push(place)
      }}
    >
      {children}
    </a>
  )
}
