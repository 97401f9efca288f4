import { ActionIcon, Menu, NativeSelect, Text } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Member } from '../../api/generated/types.gen.ts'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { isAtLeast, type Role, roles, useSignedIn, useWorkspace } from '../users/index.ts'

interface MemberRowProps {
  member: Member
  onRole: (role: Role) => void
  onRemove: () => void
  onReset: () => void
  onLeave: () => void
}

export function MemberRow({ member, onRole, onRemove, onReset, onLeave }: MemberRowProps) {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const { role: own } = useWorkspace()
  const { name, email, role, has_second_factor, timestamp_created } = member
  const isSelf = member.id === user.id
  // Nobody changes who stands above them, nor what they may do themselves.
  const mayChange = isAtLeast(own, 'admin') && isAtLeast(own, role) && !isSelf
  return (
    <tr>
      <th scope="row">
        {name}{' '}
        {isSelf && (
          <Text span size="sm" c="dimmed">
            {t(($) => $.members.you)}
          </Text>
        )}
        <Text size="xs" c="dimmed" fw={400}>
          <MailAddress value={email} />
        </Text>
      </th>
      <td>
        {mayChange ? (
          <NativeSelect
            size="xs"
            w="8rem"
            aria-label={t(($) => $.members.roleOf, { name })}
            value={role}
            data={roles
              .filter((each) => isAtLeast(own, each))
              .map((value) => ({ value, label: t(($) => $.roles[value].name) }))}
            onChange={(event) => onRole(event.currentTarget.value as Role)}
          />
        ) : (
          t(($) => $.roles[role].name)
        )}
      </td>
      <td className="wide-only">
        <StateBadge tone={has_second_factor ? 'green' : 'gray'}>
          {has_second_factor ? t(($) => $.secondFactor.on) : t(($) => $.secondFactor.off)}
        </StateBadge>
      </td>
      <td className="wide-only">
        <RelativeTime at={timestamp_created} />
      </td>
      <td className="end">
        {(mayChange || isSelf) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t(($) => $.members.actionsFor, { name })}
              >
                <Ellipsis size="1rem" aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {mayChange && <Menu.Item onClick={onReset}>{t(($) => $.resetLink.action)}</Menu.Item>}
              <Menu.Item color="red" onClick={isSelf ? onLeave : onRemove}>
                {isSelf ? t(($) => $.members.leave.action) : t(($) => $.members.remove.action)}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </td>
    </tr>
  )
}
