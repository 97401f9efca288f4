import { Button, FileButton, Group, Progress, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getImportQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Import } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useWorkspace } from '../users/index.ts'
import { sendFile, useUpload } from './upload.ts'

/** The file is on its way; where the tab was closed meanwhile, it is chosen again and goes on. */
export function UploadStep({ data }: { data: Import }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id: workspaceId } = useWorkspace()
  const upload = useUpload(data.id)
  const [isOther, setIsOther] = useState(false)
  const resetInput = useRef<() => void>(null)
  const goOn = (file: Blob | null) => {
    // Else a browser is silent about the same file, chosen once more.
    resetInput.current?.()
    if (!file) return
    setIsOther(file.size !== data.file_bytes)
    if (file.size !== data.file_bytes) return
    const key = getImportQueryKey({ path: { id: data.id } })
    void sendFile(workspaceId, data, file, (answer) => cache.setQueryData(key, answer))
  }
  if (upload && !upload.fault) {
    const percent = (100 * upload.sentBytes) / data.file_bytes
    return (
      <div>
        <Text size="sm" role="status" className="numbers">
          {t(($) => $.imports.sending, { percent: Math.floor(percent) })}
        </Text>
        <Progress value={percent} mt={4} aria-label={t(($) => $.imports.progress)} />
      </div>
    )
  }
  return (
    <div>
      {upload?.fault && <FaultNotice fault={upload.fault} onRetry={() => goOn(upload.file)} />}
      <Group mt="sm">
        <Text size="sm">{t(($) => $.imports.goOn, { name: data.file_name })}</Text>
        <FileButton onChange={goOn} resetRef={resetInput}>
          {(props) => (
            <Button variant="default" {...props}>
              {t(($) => $.imports.choose)}
            </Button>
          )}
        </FileButton>
      </Group>
      {isOther && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {t(($) => $.imports.otherFile)}
        </Text>
      )}
    </div>
  )
}
