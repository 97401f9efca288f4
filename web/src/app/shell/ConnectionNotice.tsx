import { Suspense } from 'react'
import { useConnection } from '../../api/connection.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { ServerGone } from './ServerGone.tsx'

// A form is much, and most sessions end on no open page.
const SignInAgain = lazyPart(() => import('./SignInAgain.tsx'), 'SignInAgain')

/** Over the page, which stays as it is: nothing that was typed is lost. */
export function ConnectionNotice({ email }: { email: string }) {
  const connection = useConnection()
  return (
    <>
      {connection === 'gone' && <ServerGone />}
      <Suspense>{connection === 'signed-out' && <SignInAgain email={email} />}</Suspense>
    </>
  )
}
