import { AppError } from '../../kernel/errors.ts'
import type { CampaignStatus } from './schema.ts'

/**
 * draft → active ⇄ paused; completed → active once there is somebody to write to again. The service
 * alone goes from active to completed. Nothing returns to draft.
 *
 * @param leadsActive leads that are neither finished nor stopped
 */
export function transitionError(
  from: CampaignStatus,
  to: CampaignStatus,
  leadsActive: number,
): AppError | undefined {
  if (!reachable[from].includes(to)) {
    return invalidTransition(
      `A campaign that is ${from} cannot become ${to}; from here it can become ${reachable[from].join(' or ')}.`,
    )
  }
  if (from !== 'completed' || leadsActive > 0) return
  return invalidTransition('Every lead of this campaign is done; add leads before activating it.')
}

const reachable: Record<CampaignStatus, CampaignStatus[]> = {
  draft: ['active'],
  active: ['paused'],
  paused: ['active'],
  completed: ['active'],
}

export const invalidTransition = (message: string) =>
  new AppError('invalid_transition', message, { details: [{ path: '/status', message }] })
