import { Group, Menu, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listLeadVariablesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { useDraft } from '../useDraft.ts'

/** What leads usually have, for as long as there are none. */
const usual = ['first_name', 'last_name', 'company_name', 'job_title', 'website']
/** What the mailbox and the service add. */
const ours = ['signature', 'unsubscribe_url']

interface VariableMenuProps {
  /** The button that opens it. */
  target: ReactNode
  onInsert: (name: string) => void
}

/** The leads' own columns, and how many of them lack one. */
export function VariableMenu({ target, onInsert }: VariableMenuProps) {
  const { t } = useTranslation()
  const { id } = useDraft().campaign
  // Whoever inserts one goes on writing; whoever closes the menu is back at its button.
  const [isInserted, setInserted] = useState(false)
  const known = useQuery(listLeadVariablesOptions({ path: { id } }))
  const items = known.data?.items ?? []
  const others = usual.filter((name) => !items.some((item) => item.name === name))
  const insert = (name: string) => {
    setInserted(true)
    onInsert(name)
  }
  const item = (name: string, missing = 0) => (
    <Menu.Item key={name} onClick={() => insert(name)}>
      <Group justify="space-between" gap="lg">
        {name}
        {missing > 0 && (
          <Text span size="xs" c="dimmed">
            {t(($) => $.campaigns.steps.lack, { count: missing })}
          </Text>
        )}
      </Group>
    </Menu.Item>
  )
  return (
    <Menu returnFocus={!isInserted} onOpen={() => setInserted(false)}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown mah="20rem" style={{ overflowY: 'auto' }}>
        {items.map(({ name, missing }) => item(name, missing))}
        {others.map((name) => item(name, known.data?.leads))}
        <Menu.Divider />
        {ours.map((name) => item(name))}
      </Menu.Dropdown>
    </Menu>
  )
}
