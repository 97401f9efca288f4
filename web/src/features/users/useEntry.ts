import { useNavigate } from '@tanstack/react-router'
import { setConnection } from '../../api/connection.ts'
import { forgetSession } from '../../api/sign-out.ts'

/** What follows when somebody has just signed in. */
export function useEntry() {
  const navigate = useNavigate()
  return async () => {
    forgetSession()
    setConnection('connected')
    await navigate({ to: '/' })
  }
}
