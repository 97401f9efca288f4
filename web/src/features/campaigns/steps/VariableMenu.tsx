import { Group, Menu, Text } from '@mantine/core'
import { RichTextEditor } from '@mantine/tiptap'
import { useQuery } from '@tanstack/react-query'
import type { Editor } from '@tiptap/core'
import { Braces } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { listLeadVariablesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { useDraft } from '../useDraft.ts'

/** What leads usually have, for as long as there are none. */
const usual = ['first_name', 'last_name', 'company_name', 'job_title', 'website']
/** What the mailbox and the service add. */
const ours = ['signature', 'unsubscribe_url']

/** The leads' own columns, and how many of them lack one. */
export function VariableMenu({ editor }: { editor: Editor }) {
  const { t } = useTranslation()
  const { id } = useDraft().campaign
  const known = useQuery(listLeadVariablesOptions({ path: { id } }))
  const items = known.data?.items ?? []
  const others = usual.filter((name) => !items.some((item) => item.name === name))
  const insert = (name: string) => {
    const content = { type: 'variable', attrs: { expression: name } }
    editor.chain().focus().insertContent(content).run()
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
    <RichTextEditor.ControlsGroup>
      <Menu>
        <Menu.Target>
          <RichTextEditor.Control
            w="auto"
            px="xs"
            aria-label={t(($) => $.campaigns.steps.insert)}
            title={t(($) => $.campaigns.steps.insert)}
          >
            <Braces size="1rem" aria-hidden />
            <Text span size="xs" ml={4}>
              {t(($) => $.campaigns.steps.variable)}
            </Text>
          </RichTextEditor.Control>
        </Menu.Target>
        <Menu.Dropdown mah="20rem" style={{ overflowY: 'auto' }}>
          {items.map(({ name, missing }) => item(name, missing))}
          {others.map((name) => item(name, known.data?.leads))}
          <Menu.Divider />
          {ours.map((name) => item(name))}
        </Menu.Dropdown>
      </Menu>
    </RichTextEditor.ControlsGroup>
  )
}
