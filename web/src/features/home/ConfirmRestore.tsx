import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  confirmRestoreMutation,
  getSendingHoldOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { readAgain } from '../../api/read-again.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Read } from '../../ui/Read.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/** For whoever runs the installation: what leaves a held database when it goes on, and that it may. */
export function ConfirmRestore() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const [isAsking, dialog] = useDisclosure()
  const hold = useQuery({ ...getSendingHoldOptions(), enabled: isAsking, staleTime: 0 })
  const confirm = useMutation({
    ...confirmRestoreMutation(),
    async onSuccess({ uncertain: count }) {
      dialog.close()
      notifications.show({ message: t(($) => $.home.hold.done, { count }) })
      await readAgain(cache, ['getHome', 'listCampaignSummaries'])
    },
    async onError() {
      idempotencyKey.renew()
      // It may be because more has turned up, which has to be seen first.
      await hold.refetch()
    },
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={dialog.open}>
        {t(($) => $.home.hold.open)}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t(($) => $.home.hold.title)}
          body={t(($) => $.home.hold.body)}
          confirm={t(($) => $.home.hold.confirm)}
          isBusy={confirm.isPending}
          fault={confirm.error}
          onConfirm={() =>
            confirm.mutate({
              headers: idempotencyKey.headers(),
              body: { seen: hold.data?.held?.seen ?? '' },
            })
          }
          onClose={dialog.close}
        >
          <Read query={hold} rows={2}>
            {({ held }) =>
              held && (
                <>
                  <Text size="sm">{held.detail}</Text>
                  <Text size="sm">
                    {held.last_mail ? (
                      <>
                        {t(($) => $.home.hold.lastMail)} <RelativeTime at={held.last_mail} />.
                      </>
                    ) : (
                      t(($) => $.home.hold.noMail)
                    )}
                  </Text>
                  <ul>
                    {held.missing_mails > 0 && (
                      <li>{t(($) => $.home.hold.missing, { count: held.missing_mails })}</li>
                    )}
                    <li>{t(($) => $.home.hold.leads, { count: held.leads_due })}</li>
                    <li>{t(($) => $.home.hold.campaigns, { count: held.active_campaigns })}</li>
                    <li>{t(($) => $.home.hold.deliveries, { count: held.pending_deliveries })}</li>
                  </ul>
                </>
              )
            }
          </Read>
        </ConfirmDialog>
      )}
    </>
  )
}
