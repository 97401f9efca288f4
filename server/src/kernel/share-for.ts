import type { ProcessContext } from './context.ts'

/** What `look` finds serves everybody who asks within `forMs` of its beginning. */
export function shareFor<Found>(forMs: number, look: (ctx: ProcessContext) => Promise<Found>) {
  let shared: { found: Promise<Found>; beganMs: number } | undefined
  return (ctx: ProcessContext): Promise<Found> => {
    const nowMs = ctx.monotonicMs()
    if (!shared || nowMs - shared.beganMs >= forMs) shared = { found: look(ctx), beganMs: nowMs }
    return shared.found
  }
}
