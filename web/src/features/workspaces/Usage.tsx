import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getAcquisitionBalanceOptions,
  getUsageOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Workspace } from '../../api/generated/types.gen.ts'
import { Read } from '../../ui/Read.tsx'
import classes from './Plan.module.css'
import { UsageRow } from './UsageRow.tsx'

/** What is used, beside what limits it. Mails and deliveries are those of this month. */
export function Usage({ workspace }: { workspace: Workspace }) {
  const { t } = useTranslation()
  const usage = useQuery(getUsageOptions())
  const hasCredits = workspace.plan_acquisition
  const balance = useQuery({ ...getAcquisitionBalanceOptions(), enabled: hasCredits })
  return (
    <Read query={usage} rows={6}>
      {(used) => (
        <dl className={classes.plan}>
          <UsageRow
            name={t(($) => $.workspace.usage.leads)}
            used={used.leads}
            most={used.leads_max}
          />
          <UsageRow
            name={t(($) => $.workspace.usage.mailboxes)}
            used={used.mailboxes}
            note={
              used.mailboxes > 0
                ? t(($) => $.workspace.usage.active, { count: used.mailboxes_active })
                : undefined
            }
          />
          <UsageRow
            name={t(($) => $.workspace.usage.mailsToday)}
            used={used.mails_today}
            most={used.mails_today_max}
          />
          <UsageRow name={t(($) => $.workspace.usage.mails)} used={used.mails} />
          <UsageRow
            name={t(($) => $.workspace.usage.deliveries)}
            used={used.deliveries_succeeded}
            note={t(($) => $.workspace.usage.failed, { count: used.deliveries_failed })}
          />
          {balance.data && (
            <UsageRow
              name={t(($) => $.workspace.usage.credits)}
              used={balance.data.used}
              most={balance.data.granted}
              note={t(($) => $.workspace.usage.left, { count: balance.data.balance })}
            />
          )}
          {used.database_bytes !== null && (
            <UsageRow
              name={t(($) => $.workspace.usage.database)}
              used={t(($) => $.workspace.usage.bytes, { size: sizeOf(used.database_bytes) })}
            />
          )}
        </dl>
      )}
    </Read>
  )
}

const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** "8.4 MB", in steps of a thousand. */
function sizeOf(bytes: number): string {
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(bytes) / 3)))
  const format = { style: 'unit', unit: units[power - 1] ?? 'kilobyte', maximumFractionDigits: 1 }
  return new Intl.NumberFormat('en', format as Intl.NumberFormatOptions).format(
    bytes / 1000 ** power,
  )
}
