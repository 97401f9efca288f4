import { useBlocker } from '@tanstack/react-router'

/** Nobody leaves meanwhile what is in the address: they would never see what is shown once. */
export const useStayWhile = (isBusy: boolean) =>
  useBlocker({ shouldBlockFn: () => isBusy, enableBeforeUnload: () => isBusy })
