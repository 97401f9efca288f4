import { Button, Group, Menu, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  deleteSavedViewMutation,
  keepSavedViewMutation,
  listSavedViewsOptions,
  listSavedViewsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { SavedViews } from '../../api/generated/types.gen.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { showUndo } from '../../ui/showUndo.tsx'
import { useWorkspace } from '../users/index.ts'
import { type LeadSearch, leadsSearchOf } from './search.ts'

interface ViewsMenuProps {
  search: LeadSearch
  onOpen: (search: LeadSearch) => void
}

/** Filters and columns under a name, kept for the person wherever they sign in. */
export function ViewsMenu({ search, onOpen }: ViewsMenuProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const headers = { 'X-Workspace-ID': useWorkspace().id }
  const [isNaming, naming] = useDisclosure()
  const [name, setName] = useState('')
  const listed = useQuery(listSavedViewsOptions())
  const views = listed.data?.items ?? []
  const show = (kept: SavedViews) => cache.setQueryData(listSavedViewsQueryKey(), kept)
  const keep = useMutation({
    ...keepSavedViewMutation(),
    onSuccess(kept) {
      show(kept)
      naming.close()
    },
  })
  // The menu may be closed by then.
  const onError = ({ message }: { message: string }) =>
    notifications.show({ color: 'red', message })
  const restore = useMutation({ ...keepSavedViewMutation(), onSuccess: show, onError })
  const remove = useMutation({
    ...deleteSavedViewMutation(),
    onError,
    onSuccess(kept, { query: { name } }) {
      const removed = views.find((view) => view.name === name)
      show(kept)
      if (!removed) return
      showUndo(
        t(($) => $.leads.views.deleted, { name }),
        () => restore.mutate({ body: { name, search: removed.search }, headers }),
      )
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { lead: _, ...kept } = search
    const shown = Object.fromEntries(
      Object.entries(kept).filter(([, value]) => value !== undefined),
    )
    keep.mutate({ body: { name: name.trim(), search: shown } })
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size="1rem" aria-hidden />}>
            {t(($) => $.leads.views.menu)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <QueryFault query={listed} />
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              <Menu.Item flex={1} onClick={() => onOpen(leadsSearchOf(view.search))}>
                {view.name}
              </Menu.Item>
              <Menu.Item
                w="auto"
                aria-label={t(($) => $.leads.views.delete, { name: view.name })}
                closeMenuOnClick={false}
                onClick={() => remove.mutate({ query: { name: view.name } })}
              >
                <Trash2 size="1rem" aria-hidden />
              </Menu.Item>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item
            onClick={() => {
              keep.reset()
              naming.open()
            }}
          >
            {t(($) => $.leads.views.save)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isNaming} onClose={naming.close} title={t(($) => $.leads.views.title)}>
        <Form onSubmit={submit} fault={keep.error}>
          <TextInput
            label={t(($) => $.leads.views.name)}
            description={t(($) => $.leads.views.hint)}
            value={name}
            maxLength={longest.name}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={keep.isPending} disabled={name.trim() === ''}>
              {t(($) => $.leads.views.submit)}
            </Button>
          </Group>
        </Form>
      </Modal>
    </>
  )
}
