import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './PathLink.module.css'

interface PathLinkProps {
  /** Of a page of the application. */
  path: string
  /** A link that needs no attention. */
  isPlain?: boolean
  children: ReactNode
}

/** A link to a path that is put together; where the route is known, the router's own link is checked. */
export function PathLink({ path, isPlain = false, children }: PathLinkProps) {
  const router = useRouter()
  return (
    <a
      href={path}
      className={classes.link}
      data-plain={isPlain || undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        router.history.push(path)
      }}
    >
      {children}
    </a>
  )
}
