import { Alert, Button, FileInput, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  countSuppressionsQueryKey,
  listSuppressionsInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { useWorkspace } from '../users/index.ts'
import type { Entry } from './entry.ts'
import { type ImportedList, importList } from './import-list.ts'
import { reasons } from './search.ts'

/** A file or pasted lines, and afterwards what became of them. */
export function ImportSuppressions({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id: workspaceId } = useWorkspace()
  const [file, setFile] = useState<File | null>(null)
  const [text, setText] = useState('')
  const [reason, setReason] = useState<Entry['reason']>('blocked')
  const isCancelled = useRef(false)
  const [isMissing, setMissing] = useState(false)
  const [isStopping, setStopping] = useState(false)
  const run = useMutation<ImportedList, Fault, { list: Blob; stop: AbortController }>({
    mutationFn: ({ list, stop }) => importList(workspaceId, list, reason, stop.signal),
    onMutate: () => setStopping(false),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: listSuppressionsInfiniteQueryKey() })
      await cache.invalidateQueries({ queryKey: countSuppressionsQueryKey() })
    },
  })
  if (run.data) return <Report imported={run.data} onDone={onDone} />
  return (
    <Form
      fault={run.error}
      onSubmit={(event) => {
        event.preventDefault()
        const list = file ?? new Blob([text])
        setMissing(list.size === 0)
        if (list.size > 0) run.mutate({ list, stop: new AbortController() })
      }}
    >
      <UnsavedGuard
        isUnsaved={() => !isCancelled.current && (file !== null || text !== '')}
        isBusy={run.isPending}
      />
      <Text size="sm">{t(($) => $.suppression.import.lead)}</Text>
      <FileInput
        label={t(($) => $.suppression.import.file)}
        placeholder={t(($) => $.suppression.import.choose)}
        accept=".csv,.txt,text/csv,text/plain"
        value={file}
        onChange={setFile}
        clearable
        clearButtonProps={{ 'aria-label': t(($) => $.suppression.import.clear) }}
      />
      <Textarea
        label={t(($) => $.suppression.import.paste)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        disabled={file !== null}
        error={isMissing && t(($) => $.suppression.import.missing)}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
      />
      <NativeSelect
        label={t(($) => $.suppression.import.reason)}
        description={t(($) => $.suppression.import.reasonHint)}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value as Entry['reason'])}
        data={reasons.map((value) => ({
          value,
          label: t(($) => $.suppression.reasons[value].name),
        }))}
      />
      <FormButtons
        submit={t(($) => $.suppression.import.submit)}
        isBusy={run.isPending}
        onCancel={() => {
          isCancelled.current = true
          onDone()
        }}
        whileBusy={
          <Button
            variant="default"
            loading={isStopping}
            onClick={() => {
              setStopping(true)
              run.variables?.stop.abort()
            }}
          >
            {t(($) => $.suppression.import.stop)}
          </Button>
        }
      />
    </Form>
  )
}

function Report({ imported, onDone }: { imported: ImportedList; onDone: () => void }) {
  const { t } = useTranslation()
  const { added, known, invalid, invalid_lines, isStopped } = imported
  return (
    <Stack>
      <Text role="status">
        {t(($) => $.suppression.import.added, { count: added })}{' '}
        {t(($) => $.suppression.import.known, { count: known })}
      </Text>
      {isStopped && <Alert color="yellow">{t(($) => $.suppression.import.stopped)}</Alert>}
      {invalid > 0 && (
        <Alert color="yellow">
          {t(($) => $.suppression.import.invalid, {
            count: invalid,
            lines: invalid_lines.join(', ') + (invalid > invalid_lines.length ? ' …' : ''),
          })}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{t(($) => $.common.done)}</Button>
      </Group>
    </Stack>
  )
}
