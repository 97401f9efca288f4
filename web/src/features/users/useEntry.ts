import { useNavigate } from '@tanstack/react-router'
import { forgetEverything } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'

/** What follows when somebody has just signed in. */
export function useEntry() {
  const navigate = useNavigate()
  return async () => {
    forgetEverything()
    setConnection('well')
    await navigate({ to: '/' })
  }
}
