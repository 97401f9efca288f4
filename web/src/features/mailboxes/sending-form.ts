import type { Mailbox } from '../../api/generated/types.gen.ts'
import { zoneName } from '../../lib/time.ts'

/** What a person fills in. */
export interface SendingValues {
  display_name: string
  signature: string
  timezone: string
  daily_limit: number
  ramps_up: boolean
  ramp_start: number
  ramp_step: number
  gap_seconds: number
  save_sent: Mailbox['save_sent']
}

export const valuesOfMailbox = (mailbox: Mailbox): SendingValues => ({
  display_name: mailbox.display_name ?? '',
  signature: mailbox.signature ?? '',
  timezone: mailbox.timezone ?? '',
  daily_limit: mailbox.daily_limit,
  ramps_up: mailbox.ramp_up !== null,
  ramp_start: mailbox.ramp_up?.start ?? 5,
  ramp_step: mailbox.ramp_up?.step ?? 5,
  gap_seconds: mailbox.gap_seconds,
  save_sent: mailbox.save_sent,
})

/** What does a new mailbox no harm: few mails at first, some minutes apart, by day where its owner is. */
export const carefulValues = (mailbox: Mailbox): SendingValues => ({
  ...valuesOfMailbox(mailbox),
  ramps_up: true,
  gap_seconds: 120,
  timezone: mailbox.timezone ?? zoneName(),
})

const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

export const bodyOf = (values: SendingValues) => ({
  display_name: orNull(values.display_name),
  signature: orNull(values.signature),
  timezone: orNull(values.timezone),
  daily_limit: values.daily_limit,
  ramp_up: values.ramps_up ? { start: values.ramp_start, step: values.ramp_step } : null,
  gap_seconds: values.gap_seconds,
  save_sent: values.save_sent,
})
