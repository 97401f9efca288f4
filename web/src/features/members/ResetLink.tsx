import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { createResetLinkMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Member } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { Secret } from '../../ui/Secret.tsx'
import { ShownOnce } from '../../ui/ShownOnce.tsx'

interface ResetLinkProps {
  member: Member
  onClose: () => void
}

/** Outrider sends no mail of its own: the link is passed on by hand. */
export function ResetLink({ member, onClose }: ResetLinkProps) {
  const { t } = useTranslation()
  const create = useMutation({ ...createResetLinkMutation() })
  const { id, name } = member
  return (
    <Modal
      opened
      // The link, once it is there, is closed by its own button.
      onClose={() => !create.isSuccess && onClose()}
      withCloseButton={!create.isSuccess}
      title={t(($) => $.resetLink.title, { name })}
    >
      <Stack>
        {create.error && <FaultNotice fault={create.error} />}
        {create.isSuccess ? (
          <ShownOnce done={t(($) => $.common.done)} onDone={onClose}>
            <Text>{t(($) => $.resetLink.passOn, { name })}</Text>
            <Secret label={t(($) => $.resetLink.link)} value={create.data.url ?? ''} isNew />
          </ShownOnce>
        ) : (
          <>
            <Text>{t(($) => $.resetLink.body, { name })}</Text>
            <Group justify="flex-end">
              <Button variant="default" data-autofocus onClick={onClose}>
                {t(($) => $.common.cancel)}
              </Button>
              <Button loading={create.isPending} onClick={() => create.mutate({ path: { id } })}>
                {t(($) => $.resetLink.create)}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  )
}
