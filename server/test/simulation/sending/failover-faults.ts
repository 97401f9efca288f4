import type { Fault } from '../engine/faults.ts'
import type { SendingConditions } from './conditions.ts'

export const failoverFaults: Fault<SendingConditions>[] = []
