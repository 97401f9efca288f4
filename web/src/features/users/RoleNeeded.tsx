import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { isAtLeast, type Role } from './roles.ts'
import { useWorkspace } from './session.ts'

interface RoleNeededProps {
  least: Role
  children: ReactNode
}

/** In place of what the server would refuse: whom to ask. */
export function RoleNeeded({ least, children }: RoleNeededProps) {
  const { t } = useTranslation()
  const { role } = useWorkspace()
  if (isAtLeast(role, least)) return children
  return (
    <EmptyState
      isPage
      title={t(($) => $.roleNeeded[least === 'member' ? 'titleMember' : 'title'])}
      body={t(($) => $.roleNeeded.body, { role: t(($) => $.roles[role].name) })}
    />
  )
}
