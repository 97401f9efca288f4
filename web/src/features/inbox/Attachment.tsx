import { Button, Loader } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Paperclip } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { getMessageAttachment } from '../../api/generated/sdk.gen.ts'
import { saveFile } from '../../lib/save-file.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import classes from './MailSection.module.css'

interface AttachmentProps {
  messageId: string
  /** Its place among what is attached. */
  index: number
  name: string
}

/** A file that is attached to a mail: it lies in the mailbox, and is fetched from there when asked for. */
export function Attachment({ messageId: id, index, name }: AttachmentProps) {
  const { t } = useTranslation()
  const download = useMutation({
    async mutationFn() {
      const { data, response } = await getMessageAttachment({ path: { id, index } })
      saveFile(fileNameIn(response.headers.get('content-disposition')) ?? name, data)
    },
  })
  const { isPending, error, mutate } = download
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        classNames={{ root: classes.file, label: classes.fileName }}
        leftSection={
          isPending ? <Loader size="0.875rem" /> : <Paperclip size="0.875rem" aria-hidden />
        }
        aria-label={t(($) => (isPending ? $.inbox.downloading : $.inbox.download), { name })}
        aria-busy={isPending}
        // Not disabled while it is fetched: the keyboard stays where it is.
        onClick={() => isPending || mutate()}
      >
        {name}
      </Button>
      {error && <FaultNotice fault={error} onRetry={() => mutate()} />}
    </>
  )
}

/** As the server calls the file, without what no file may be called. */
function fileNameIn(header: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''(\S+)$/.exec(header ?? '')?.[1]
  return encoded && decodeURIComponent(encoded)
}
