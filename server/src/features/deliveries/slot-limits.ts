import type { SlotLimits } from '../../kernel/runner/slots.ts'

/** Requests in flight at once. Decision 0006 gives the reasons and what was measured. */
export const slotLimits: Omit<SlotLimits, 'adaptive'> = {
  max: { proven: 512, trial: 256, failing: 256 },
  slowAfterMs: 1_000,
  slowMax: 1024,
}

/** Slots of proven lanes in a process that is always busy. */
export const provenMin = 64
