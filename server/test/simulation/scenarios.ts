import { deliveries } from './deliveries/scenario.ts'
import type { Scenario } from './engine/scenario.ts'
import { failover } from './sending/failover-scenario.ts'
import { rearranging } from './sending/rearranging-scenario.ts'
import { sending } from './sending/scenario.ts'

/** The first is what `npm run simulate` runs when it is not told otherwise. */
export const scenarios: Scenario[] = [deliveries, sending, failover, rearranging]
