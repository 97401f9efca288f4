import { useTranslation } from 'react-i18next'
import type { AttentionItem } from '../../api/generated/types.gen.ts'
import type { PlaceName } from './places.ts'

interface AttentionText {
  what: string
  why: string
  /** Undefined: it is mended outside of the application. */
  mend?: string
  place?: PlaceName
}

/** What happened and what to do, in words. */
export function useAttentionText(): (item: AttentionItem) => AttentionText {
  const { t } = useTranslation()
  const reasons: Record<string, string> = t(($) => $.home.attention.reasons, {
    returnObjects: true,
  })
  return ({ kind, name, reason, count }) => {
    const known = reasons[reason ?? ''] ?? reason ?? ''
    const words = { name: name ?? '', count: count ?? 0 }
    switch (kind) {
      case 'held':
        return {
          what: t(($) => $.home.attention.held),
          why: `${known} ${t(($) => $.home.attention.heldHow)}`,
        }
      case 'no_runner':
        return {
          what: t(($) => $.home.attention.noRunner),
          why: t(($) => $.home.attention.noRunnerHow),
        }
      case 'mailbox':
        return {
          what: t(($) => $.home.attention.mailbox, words),
          ...{ why: known, mend: t(($) => $.home.attention.mendMailbox), place: 'mailbox' },
        }
      case 'webhook':
        return {
          what:
            reason === 'failing_now'
              ? t(($) => $.home.attention.webhookFails, words)
              : t(($) => $.home.attention.webhook, words),
          ...{ why: known, mend: t(($) => $.home.attention.mendWebhook), place: 'webhook' },
        }
      case 'uncertain':
        return {
          what: t(($) => $.home.attention.uncertain, words),
          why: t(($) => $.home.attention.uncertainWhy, words),
          ...{ mend: t(($) => $.home.attention.mendUncertain), place: 'sends' },
        }
      default:
        return {
          what: t(($) => $.home.attention.campaign, words),
          why: reason === 'leads_waiting' ? t(($) => $.home.attention.leadsWaiting, words) : known,
          ...{ mend: t(($) => $.home.attention.mendCampaign), place: 'campaign' },
        }
    }
  }
}
