import { List, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignForecast } from '../../api/generated/types.gen.ts'
import { numberText } from '../../lib/number.ts'
import { dayWithWeekday } from '../../lib/time.ts'
import { Table } from '../../ui/Table.tsx'
import classes from './Forecast.module.css'

const columnsMax = 4

interface ForecastProps {
  forecast: CampaignForecast
  /** Leads lack what mails say of them, which it does not know. */
  isAtMost: boolean
}

/** The calendar of the real planner: mails a day, by mailbox, until the last. */
export function Forecast({ forecast, isAtMost }: ForecastProps) {
  const { t } = useTranslation()
  const { days, mailboxes, sends, unsent, ends, held, timezone } = forecast
  const last = days.at(-1)
  const [today] = days
  const most = Math.max(1, ...days.map((day) => day.sends))
  const sending = mailboxes.filter(({ id }) =>
    days.some((day) => day.mailboxes.some(({ mailbox_id }) => mailbox_id === id)),
  )
  const columns = sending.length > 1 && sending.length <= columnsMax ? sending : []
  const shown = days.filter((day) => day.sends > 0)
  return (
    <section>
      <Title order={2}>{t(($) => $.campaigns.launch.forecast)}</Title>
      <Text>
        {last === undefined
          ? t(($) => $.campaigns.launch.nothing)
          : `${t(($) => $.campaigns.launch[isAtMost ? 'mailsAtMost' : 'mails'], { count: sends })}, ${t(
              ($) => $.campaigns.launch.until,
              { date: dayWithWeekday(last.date) },
            )}, ${t(($) => $.campaigns.launch.ends[ends], { count: unsent })}`}
      </Text>
      <Text size="xs" c="dimmed">
        {t(($) => $.campaigns.launch.hint, { zone: timezone })}
      </Text>
      <List size="sm" mt={4}>
        {today?.sends === 0 && today.limited_by === 'outside_schedule' && (
          <List.Item>{t(($) => $.campaigns.launch.closedToday)}</List.Item>
        )}
        {held.map(({ reason, leads }) => (
          <List.Item key={reason}>
            {t(($) => $.campaigns.launch.heldOf, {
              count: leads,
              why: t(($) => $.campaigns.launch.held[reason]),
            })}
          </List.Item>
        ))}
        {mailboxes.some(({ shared_with }) => shared_with > 0) && (
          <List.Item>{t(($) => $.campaigns.launch.shared)}</List.Item>
        )}
      </List>
      {shown.length > 0 && (
        <section
          className={classes.scroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard, too
          tabIndex={0}
          aria-label={t(($) => $.campaigns.launch.calendar)}
        >
          <Table label={t(($) => $.campaigns.launch.forecast)}>
            <thead>
              <tr>
                <th>{t(($) => $.campaigns.launch.day)}</th>
                <th>{t(($) => $.campaigns.launch.total)}</th>
                {columns.map(({ id, address }) => (
                  <th key={id} className="end wide-only">
                    {address}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((day) => (
                <tr key={day.date}>
                  <th scope="row">{dayWithWeekday(day.date)}</th>
                  <td className="numbers">
                    <span
                      className={classes.sends}
                      style={{ width: `${numberText(most).length}ch` }}
                    >
                      {numberText(day.sends)}
                    </span>
                    <span
                      className={classes.bar}
                      style={{ width: `${(8 * day.sends) / most}rem` }}
                    />
                  </td>
                  {columns.map(({ id }) => (
                    <td key={id} className="end numbers wide-only">
                      {day.mailboxes.find(({ mailbox_id }) => mailbox_id === id)?.sends ?? '–'}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Table>
        </section>
      )}
    </section>
  )
}
