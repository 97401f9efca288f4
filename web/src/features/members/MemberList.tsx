import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listMembersOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Member } from '../../api/generated/types.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import type { Role } from '../users/index.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import { MemberRow } from './MemberRow.tsx'
import { RemoveMember } from './RemoveMember.tsx'
import { SetRole } from './SetRole.tsx'

// Opened by few who look at the page.
const ResetLink = lazyPart(() => import('./ResetLink.tsx'), 'ResetLink')

/** Who works in this workspace; whoever looks is one of them, so it is never empty. */
export function MemberList() {
  const { t } = useTranslation()
  const [change, setChange] = useState<{ member: Member; role: Role }>()
  const [removing, setRemoving] = useState<Member>()
  const [resetting, setResetting] = useState<Member>()
  const [isLeaving, leaving] = useDisclosure()
  const members = useQuery(listMembersOptions())

  if (members.isPending) return <LoadingRows rows={3} />
  if (!members.data) return <QueryFault query={members} />
  return (
    <>
      <QueryFault query={members} />
      <TitleCount count={members.data.items.length} />
      <Table label={t(($) => $.members.title)}>
        <thead>
          <tr>
            <th>{t(($) => $.members.columns.name)}</th>
            <th>{t(($) => $.members.columns.role)}</th>
            <th className="wide-only">{t(($) => $.members.columns.secondFactor)}</th>
            <th className="wide-only">{t(($) => $.members.columns.since)}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {members.data.items.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              onRole={(role) => setChange({ member, role })}
              onRemove={() => setRemoving(member)}
              onReset={() => setResetting(member)}
              onLeave={leaving.open}
            />
          ))}
        </tbody>
      </Table>
      {change && <SetRole change={change} onClose={() => setChange(undefined)} />}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
      {isLeaving && <LeaveWorkspace onClose={leaving.close} />}
      <Suspense>
        {resetting && <ResetLink member={resetting} onClose={() => setResetting(undefined)} />}
      </Suspense>
    </>
  )
}
