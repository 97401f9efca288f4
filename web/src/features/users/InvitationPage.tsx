import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getInvitation } from '../../api/generated/sdk.gen.ts'
import { useToken } from '../../lib/useToken.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { NarrowPage } from '../../ui/NarrowPage.tsx'
import { JoinAsNew } from './JoinAsNew.tsx'
import { JoinWithAccount } from './JoinWithAccount.tsx'

/** Where the link leads that an admin passes on. */
export function InvitationPage() {
  const { t } = useTranslation()
  const token = useToken()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await getInvitation({ body: { token } })).data,
    enabled: token !== '',
  })
  if (token === '') {
    return <NarrowPage title={t(($) => $.invitation.noToken)} lead={t(($) => $.invitation.ask)} />
  }
  if (invitation.isPending) {
    return (
      <NarrowPage title={t(($) => $.invitation.title)}>
        <LoadingRows rows={3} />
      </NarrowPage>
    )
  }
  if (invitation.isError) {
    return (
      <NarrowPage title={t(($) => $.invitation.invalid)} lead={t(($) => $.invitation.ask)}>
        <FaultNotice fault={invitation.error} onRetry={() => void invitation.refetch()} />
      </NarrowPage>
    )
  }
  const { workspace_name: workspace, workspace_handle, role, email, has_account } = invitation.data
  return (
    <NarrowPage
      title={t(($) => $.invitation.into, { workspace })}
      lead={`${t(($) => $.roles[role].name)}: ${t(($) => $.roles[role].can)}`}
    >
      {has_account ? (
        <JoinWithAccount token={token} email={email} handle={workspace_handle} />
      ) : (
        <JoinAsNew token={token} email={email} />
      )}
    </NarrowPage>
  )
}
