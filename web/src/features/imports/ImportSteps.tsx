import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import {
  cancelImportMutation,
  getImportOptions,
  getImportQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { ImportDone } from './ImportDone.tsx'
import { ImportProgress } from './ImportProgress.tsx'
import { ImportState } from './ImportState.tsx'
import { isUnderWay } from './outcome.ts'
import { UploadStep } from './UploadStep.tsx'

// Of no use before a file is there.
const MappingStep = lazyPart(() => import('./MappingStep.tsx'), 'MappingStep')

const pollMs = 500

/** One import, at whatever step it is; another tab or another day shows the same. */
export function ImportSteps({ id }: { id: string }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const path = { id }
  const query = useQuery({
    ...getImportOptions({ path }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.state) ? pollMs : false),
  })
  const cancel = useMutation({
    ...cancelImportMutation(),
    onSuccess: (answer) => cache.setQueryData(getImportQueryKey({ path }), answer),
  })
  const { data, error } = query
  const fault = error && <FaultNotice fault={error} onRetry={() => void query.refetch()} />
  if (!data) return fault ?? <LoadingRows rows={6} />
  const isOver = ['finished', 'cancelled', 'failed'].includes(data.state)
  return (
    <Stack>
      {fault}
      <Group>
        <Title order={2}>{data.file_name}</Title>
        <ImportState state={data.state} />
        <Text size="sm" c="dimmed" className="numbers">
          {data.file_bytes < 1e6
            ? t(($) => $.imports.kilobytes, { count: Math.ceil(data.file_bytes / 1e3) })
            : t(($) => $.imports.megabytes, { count: Math.ceil(data.file_bytes / 1e5) / 10 })}
        </Text>
        {!isOver && (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            ml="auto"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ path })}
          >
            {t(($) => $.imports.cancel)}
          </Button>
        )}
      </Group>
      {cancel.error && <FaultNotice fault={cancel.error} />}
      {data.state === 'uploading' && <UploadStep data={data} />}
      <Suspense fallback={<LoadingRows rows={6} />}>
        {data.preview && !isUnderWay(data.state) && <MappingStep data={data} />}
      </Suspense>
      {isUnderWay(data.state) && <ImportProgress data={data} />}
      {isOver && <ImportDone data={data} />}
    </Stack>
  )
}
