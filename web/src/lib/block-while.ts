import { useBlocker } from '@tanstack/react-router'

/** Blocks leaving the page during a request whose answer, a secret, is shown only once. */
export const useBlockWhile = (isBusy: boolean) =>
  useBlocker({ shouldBlockFn: () => isBusy, enableBeforeUnload: () => isBusy })
