import { Button, Code, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  archiveLabelMutation,
  createLabelMutation,
  listLabelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Label } from '../../api/generated/types.gen.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { showUndo } from '../../ui/showUndo.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './LabelRow.module.css'
import { sentimentTones } from './statuses.ts'

interface LabelRowProps {
  label: Label
  onEdit: (() => void) | undefined
}

export function LabelRow({ label, onEdit }: LabelRowProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const headers = { 'X-Workspace-ID': useWorkspace().id }
  const { id, name, value, effect, sentiment } = label
  const refetchLabels = () => cache.invalidateQueries({ queryKey: listLabelsQueryKey() })
  const onError = ({ message }: { message: string }) =>
    notifications.show({ color: 'red', message })
  // A label of the same name is the same label again.
  const bringBack = useMutation({ ...createLabelMutation(), onSuccess: refetchLabels, onError })
  const archive = useMutation({
    ...archiveLabelMutation(),
    onError,
    async onSuccess() {
      showUndo(
        t(($) => $.labels.archived, { name }),
        () => bringBack.mutate({ body: { name }, headers }),
      )
      await refetchLabels()
    },
  })
  return (
    <tr>
      <th scope="row" className={classes.name}>
        <StateBadge tone={sentimentTones[sentiment]}>{name}</StateBadge>
        <Text size="xs" c="dimmed" mt={2}>
          {t(($) => $.labels.sentiments[sentiment])}
        </Text>
        <Code className="narrow-only">{value}</Code>
      </th>
      <td>{t(($) => $.labels.effects[effect].name)}</td>
      <td className="wide-only">
        <Code>{value}</Code>
      </td>
      <td className="end">
        {onEdit && (
          <Group gap={0} justify="flex-end">
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={t(($) => $.labels.editOf, { name })}
              onClick={onEdit}
            >
              {t(($) => $.labels.edit)}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              aria-label={t(($) => $.labels.archiveOf, { name })}
              loading={archive.isPending}
              onClick={() => archive.mutate({ path: { id } })}
            >
              {t(($) => $.labels.archive)}
            </Button>
          </Group>
        )}
      </td>
    </tr>
  )
}
