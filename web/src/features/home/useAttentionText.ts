import { useTranslation } from 'react-i18next'
import type { AttentionItem } from '../../api/generated/types.gen.ts'
import type { PageName } from '../links/index.ts'
import { useMay, useSignedIn } from '../users/index.ts'

interface AttentionText {
  what: string
  why: string
  /** Undefined: it is mended outside of the application. */
  mend?: string
  page?: PageName
}

/** What happened and what to do, in words. */
export function useAttentionText(): (item: AttentionItem) => AttentionText {
  const { t } = useTranslation()
  const mayDecide = useMay('member')
  const { user } = useSignedIn()
  const decide = t(($) => (mayDecide ? $.home.attention.decide : $.home.attention.look))
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
          why: `${known} ${t(($) => $.home.attention[user.is_operator ? 'heldConfirm' : 'heldHow'])}`,
        }
      case 'no_runner':
        return {
          what: t(($) => $.home.attention.noRunner),
          why: t(($) => $.home.attention.noRunnerHow),
        }
      case 'mailbox':
        return {
          what: t(($) => $.home.attention.mailbox, words),
          ...{ why: known, mend: t(($) => $.home.attention.mendMailbox), page: 'mailbox' },
        }
      case 'mailbox_unread':
        return {
          what: t(($) => $.home.attention.unread, words),
          why: t(($) => $.home.attention.unreadWhy),
          ...{ mend: t(($) => $.home.attention.mendMailbox), page: 'mailbox' },
        }
      case 'webhook':
        return {
          what:
            reason === 'failing_now'
              ? t(($) => $.home.attention.webhookFails, words)
              : t(($) => $.home.attention.webhook, words),
          ...{ why: known, mend: t(($) => $.home.attention.mendWebhook), page: 'webhook' },
        }
      case 'uncertain':
        return {
          what: t(($) => $.home.attention.uncertain, words),
          why: t(($) => $.home.attention.uncertainWhy, words),
          ...{ mend: decide, page: 'uncertain' },
        }
      case 'uncertain_reply':
        return {
          what: t(($) => $.home.attention.uncertainReply, words),
          why: t(($) => $.home.attention.uncertainWhy),
          ...{ mend: decide, page: 'conversation' },
        }
      default: {
        if (reason === 'leads_held_back') {
          return {
            what: t(($) => $.home.attention.campaignWaits, words),
            why: t(
              ($) => $.home.attention[words.count < 1000 ? 'leadsHeldBack' : 'leadsHeldBackMany'],
              words,
            ),
            ...{ mend: t(($) => $.home.attention.mendLeads), page: 'heldBack' },
          }
        }
        const isSending = reason === 'leads_waiting'
        return {
          what: t(($) => $.home.attention[isSending ? 'campaignWaits' : 'campaign'], words),
          why: isSending ? t(($) => $.home.attention.leadsWaiting, words) : known,
          ...{ mend: t(($) => $.home.attention.mendCampaign), page: 'campaign' },
        }
      }
    }
  }
}
