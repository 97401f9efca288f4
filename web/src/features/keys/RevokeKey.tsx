import { Checkbox } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  listServiceAccountKeysInfiniteQueryKey,
  revokeKeyFamilyMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { ServiceAccountKey } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

/** Asks, because nothing brings a key back. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ServiceAccountKey; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [withChildren, setWithChildren] = useState(false)
  const revoke = useMutation({
    ...revokeKeyFamilyMutation(),
    async onSuccess({ name }) {
      await cache.invalidateQueries({ queryKey: listServiceAccountKeysInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.keys.revoke.done, { name }) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t(($) => $.keys.revoke.title, { name: apiKey.name })}
      body={t(($) => $.keys.revoke.body, { prefix: apiKey.key_prefix })}
      confirm={t(($) => $.keys.revoke.confirm)}
      isBusy={revoke.isPending}
      fault={revoke.error}
      onConfirm={() =>
        revoke.mutate({ path: { id: apiKey.id }, body: { with_children: withChildren } })
      }
      onClose={onClose}
    >
      <Checkbox
        label={t(($) => $.keys.revoke.children)}
        description={t(($) => $.keys.revoke.childrenHint)}
        checked={withChildren}
        onChange={(event) => setWithChildren(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  )
}
