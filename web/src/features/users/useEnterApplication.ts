import { useNavigate } from '@tanstack/react-router'
import { setConnection } from '../../api/connection.ts'
import { forgetSession } from '../../api/sign-out.ts'

/** Opens the application for whoever has just signed in, with nothing left of who was signed in before. */
export function useEnterApplication() {
  const navigate = useNavigate()
  return async () => {
    forgetSession()
    setConnection('connected')
    await navigate({ to: '/' })
  }
}
