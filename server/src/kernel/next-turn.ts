/** Lets the event loop turn, so that others are served between the steps of long work. */
export const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
