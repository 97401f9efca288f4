import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { beforeSignOut } from '../api/sign-out.ts'

/**
 * Blocks leaving the page during a request whose answer, a secret, is shown only once. Whoever signs out is
 * asked first.
 */
export function useBlockWhile(isBusy: boolean) {
  const { t } = useTranslation()
  useEffect(() =>
    beforeSignOut(
      () => Promise.resolve(),
      () => (isBusy ? t(($) => $.unsaved.busy) : undefined),
    ),
  )
  useBlocker({ shouldBlockFn: () => isBusy, enableBeforeUnload: () => isBusy })
}
