import { Alert, Button, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CreatedInvitation } from '../../api/generated/types.gen.ts'
import { Secret } from '../../ui/Secret.tsx'
import { ShownOnce } from '../../ui/ShownOnce.tsx'

interface InvitationLinkProps {
  created: CreatedInvitation
  onDone: () => void
}

/** To be handed over by whoever invites: Outrider sends no mail of its own. */
export function InvitationLink({ created, onDone }: InvitationLinkProps) {
  const { t } = useTranslation()
  const { email, url } = created
  const done = t(($) => $.common.done)
  if (url === null) {
    return (
      <Stack>
        <Alert color="red" role="alert">
          {t(($) => $.invitations.lost)}
        </Alert>
        <Button onClick={onDone}>{done}</Button>
      </Stack>
    )
  }
  return (
    <ShownOnce done={done} onDone={onDone}>
      <Alert color="ink" title={t(($) => $.invitations.passOn)}>
        {t(($) => $.invitations.passOnBody, { email })}
      </Alert>
      <Secret label={t(($) => $.invitations.link)} value={url} isNew />
    </ShownOnce>
  )
}
