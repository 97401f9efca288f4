import { useConnection } from '../../api/connection.ts'
import { ServerGone } from './ServerGone.tsx'
import { SignInAgain } from './SignInAgain.tsx'

/** Over the page, which stays as it is: nothing that was typed is lost. */
export function ConnectionNotice({ email }: { email: string }) {
  const connection = useConnection()
  return (
    <>
      {connection === 'gone' && <ServerGone />}
      <SignInAgain opened={connection === 'signed-out'} email={email} />
    </>
  )
}
