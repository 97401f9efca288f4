// A door of its own for features that workspaces themselves need: through `../index.ts` each would need
// the other.

/** What a plan switches on and off, as the columns of a workspace. */
export interface PlanSwitches {
  plan_api: boolean
  plan_webhooks: boolean
  plan_acquisition: boolean
}

/** For statements that have the workspace as `w`. */
export const planSwitches = 'w.plan_api, w.plan_webhooks, w.plan_acquisition'

export const entitlementsOf = (plan: PlanSwitches): Set<string> =>
  new Set([
    ...(plan.plan_api ? ['api'] : []),
    ...(plan.plan_webhooks ? ['webhooks'] : []),
    ...(plan.plan_acquisition ? ['acquisition'] : []),
  ])
