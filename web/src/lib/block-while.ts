import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { whenSigningOut } from '../api/sign-out.ts'

/**
 * Blocks leaving the page during a request whose answer, a secret, is shown only once. Whoever signs out is
 * asked first.
 */
export function useBlockWhile(isBusy: boolean) {
  const { t } = useTranslation()
  const lost = () => (isBusy ? t(($) => $.unsaved.busy) : undefined)
  useEffect(() => whenSigningOut({ lost }))
  useBlocker({ shouldBlockFn: () => isBusy, enableBeforeUnload: () => isBusy })
}
