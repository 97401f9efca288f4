import { useTranslation } from 'react-i18next'
import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import type texts from '../../texts/en.json'
import { errorOf } from './attempt-state.ts'

/** Why an attempt failed, in words; what is not known is shown as the server has it. */
export function ErrorText({ attempt }: { attempt: WebhookEvent }) {
  const { t } = useTranslation()
  const { kind, detail } = errorOf(attempt)
  // Nothing is kept of why, where somebody was erased of whom the answer might tell.
  if (kind === '') return attempt.success ? '–' : t(($) => $.webhooks.log.erased)
  if (!isKnown(kind)) return attempt.error_message
  return t(($) => $.webhooks.errors[kind], { detail: shownDetail(kind, detail) })
}

const shownDetail = (kind: Known, detail: string) => {
  if (kind === 'http_status') return detail
  return detail === '' ? '' : ` (${detail})`
}

type Known = keyof typeof texts.webhooks.errors

const known: Record<Known, true> = {
  http_status: true,
  redirect: true,
  timeout: true,
  dns_error: true,
  connection_refused: true,
  connection_reset: true,
  tls_error: true,
  network_error: true,
  blocked_address: true,
  expired: true,
  destination_disabled: true,
  destination_deleted: true,
  backlog_full: true,
}

const isKnown = (kind: string): kind is Known => Object.hasOwn(known, kind)
