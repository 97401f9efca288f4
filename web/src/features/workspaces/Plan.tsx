import { useTranslation } from 'react-i18next'
import type { Workspace } from '../../api/generated/types.gen.ts'
import { numberText } from '../../lib/number.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'
import classes from './Plan.module.css'

const parts = ['api', 'webhooks', 'acquisition'] as const

/** What the operator has switched on, and its limits. */
export function Plan({ workspace }: { workspace: Workspace }) {
  const { t } = useTranslation()
  const isOn = {
    api: workspace.plan_api,
    webhooks: workspace.plan_webhooks,
    acquisition: workspace.plan_acquisition,
  }
  const { plan_leads_max: leadsMax, plan_monthly_credits: credits, plan_rate: rate } = workspace
  return (
    <dl className={classes.plan}>
      {parts.map((part) => (
        <div key={part}>
          <dt>{t(($) => $.workspace.parts[part])}</dt>
          <dd>
            <StateBadge tone={isOn[part] ? 'green' : 'gray'}>
              {isOn[part] ? t(($) => $.workspace.on) : t(($) => $.workspace.off)}
            </StateBadge>
          </dd>
        </div>
      ))}
      <div>
        <dt>{t(($) => $.workspace.leadsMax)}</dt>
        <dd className="numbers">
          {leadsMax === null ? t(($) => $.workspace.unlimited) : numberText(leadsMax)}
        </dd>
      </div>
      <div>
        <dt>{t(($) => $.workspace.requests)}</dt>
        <dd className="numbers">
          {rate === 0 ? t(($) => $.workspace.unlimited) : numberText(rate)}
        </dd>
      </div>
      <div>
        <dt>{t(($) => $.workspace.credits)}</dt>
        <dd className="numbers">{numberText(credits)}</dd>
      </div>
    </dl>
  )
}
