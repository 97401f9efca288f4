import { Button, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  createImportMutation,
  getImportQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './StartImport.module.css'
import { sendFile } from './upload.ts'

const fileBytesMax = 256 * 1024 * 1024

interface StartImportProps {
  /** Where the leads go; undefined: that is chosen later. */
  campaignId: string | undefined
  onStarted: (id: string) => void
}

/** A file is dropped or chosen, and on its way at once. */
export function StartImport({ campaignId, onStarted }: StartImportProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id: workspaceId } = useWorkspace()
  const open = useRef<() => void>(null)
  const [problem, setProblem] = useState<string>()
  const create = useMutation(createImportMutation())
  const start = (file: File | undefined) => {
    if (!file) return
    if (file.size === 0) return setProblem(t(($) => $.imports.emptyFile))
    if (file.size > fileBytesMax) return setProblem(t(($) => $.imports.largeFile))
    setProblem(undefined)
    create.mutate(
      {
        body: {
          ...{ file_name: file.name.slice(-255), file_bytes: file.size },
          ...(campaignId ? { campaign_id: campaignId } : {}),
        },
      },
      {
        onSuccess(started) {
          const keep = (answer: typeof started) =>
            cache.setQueryData(getImportQueryKey({ path: { id: started.id } }), answer)
          keep(started)
          void sendFile(workspaceId, started, file, keep)
          onStarted(started.id)
        },
      },
    )
  }
  return (
    <section>
      {create.error && <FaultNotice fault={create.error} />}
      <Dropzone
        onDrop={([file]) => start(file)}
        onReject={() => setProblem(t(($) => $.imports.largeFile))}
        loading={create.isPending}
        multiple={false}
        maxSize={fileBytesMax}
        className={classes.zone}
        inputProps={{ 'aria-label': t(($) => $.imports.choose) }}
        openRef={open}
        // A button within has a name for who hears the page.
        tabIndex={-1}
        enablePointerEvents
      >
        <FileUp size="1.5rem" aria-hidden />
        <Text fw={600} c="var(--mantine-color-text)">
          {t(($) => $.imports.drop)}
        </Text>
        <Text size="sm" c="dimmed" maw="34rem">
          {t(($) => $.imports.dropHint)}
        </Text>
        <Button
          variant="default"
          mt="sm"
          onClick={(event) => {
            event.stopPropagation()
            open.current?.()
          }}
        >
          {t(($) => $.imports.choose)}
        </Button>
      </Dropzone>
      {problem && (
        <Text role="alert" c="var(--mantine-color-error)" size="sm" mt="xs">
          {problem}
        </Text>
      )}
    </section>
  )
}
