import { useTranslation } from 'react-i18next'
import type { Lead } from '../../api/generated/types.gen.ts'
import classes from './LeadAside.module.css'

const named = ['company_name', 'job_title', 'phone', 'website', 'company_domain'] as const

/** What is known of the lead, without what is not. */
export function LeadFacts({ lead }: { lead: Lead }) {
  const { t } = useTranslation()
  const own = Object.entries(lead.custom_variables ?? {})
  const rows: [name: string, value: string][] = [
    ...named.flatMap((name): [string, string][] => {
      const value = lead[name]
      return value ? [[t(($) => $.inbox.lead.fields[name]), value]] : []
    }),
    ...own.map(([name, value]): [string, string] => [name, String(value)]),
  ]
  if (rows.length === 0) return null
  return (
    <dl className={classes.fields}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
