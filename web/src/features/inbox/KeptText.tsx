import { Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { plainText } from '../../ui/RichText/template-html.ts'
import { useSignedIn, useWorkspace } from '../users/index.ts'
import { draftName, useReplyDraft } from './reply-draft.ts'

/** What somebody has typed who can answer no more, to be copied. */
export function KeptText({ threadId }: { threadId: string }) {
  const { t } = useTranslation()
  const { id: workspaceId } = useWorkspace()
  const [draft] = useReplyDraft(draftName(useSignedIn().user.id, workspaceId, threadId))
  const text = plainText(draft?.html ?? '')
  if (text === '') return null
  return (
    <Textarea readOnly autosize minRows={4} mt="md" label={t(($) => $.inbox.reply)} value={text} />
  )
}
