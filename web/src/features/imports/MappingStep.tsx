import { Button, Group, NativeSelect, Radio, Select, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  changeImportMutation,
  checkImportMutation,
  getImportQueryKey,
  startImportMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Import } from '../../api/generated/types.gen.ts'
import { useAttempt } from '../../lib/attempt.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useCampaigns } from '../leads/index.ts'
import { CheckResult } from './CheckResult.tsx'
import { ColumnTable } from './ColumnTable.tsx'

const rules = ['skip', 'update', 'skip_anywhere'] as const
const encodings = [
  ...['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'iso-8859-15', 'windows-1250'],
  ...['windows-1251', 'macintosh', 'shift_jis', 'gb18030', 'big5', 'euc-kr'],
]

/** What becomes of the columns, where the leads go, and what a check says of it. */
export default function MappingStep({ data }: { data: Import }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const campaigns = useCampaigns()
  const attempt = useAttempt()
  const path = { id: data.id }
  const key = getImportQueryKey({ path })
  const keep = {
    onSuccess: (answer: Import) => {
      attempt.renew()
      // What is still on its way is newer than the answer.
      if (cache.isMutating({ mutationKey: ['change import', data.id] }) <= 1)
        cache.setQueryData(key, answer)
    },
  }
  // Shown at once, and sent one after the other.
  const change = useMutation({
    ...changeImportMutation(),
    ...keep,
    mutationKey: ['change import', data.id],
    scope: { id: data.id },
    onMutate: ({ body: { encoding: _, ...body } }) =>
      cache.setQueryData(key, (before) => before && { ...before, ...body, checked: null }),
    onError: () => cache.invalidateQueries({ queryKey: key }),
  })
  const check = useMutation({ ...checkImportMutation(), ...keep })
  const start = useMutation({ ...startImportMutation(), ...keep })
  const set = (body: Parameters<typeof change.mutate>[0]['body']) => change.mutate({ path, body })
  const fault = change.error ?? check.error ?? start.error
  const isHere = data.state !== 'uploading'
  const isReady = isHere && data.campaign_id !== null && !change.isPending
  return (
    <Stack>
      <Group align="flex-start" gap="xl">
        <Select
          label={t(($) => $.imports.campaign)}
          placeholder={t(($) => $.imports.campaignHint)}
          data={[...campaigns].map(([value, label]) => ({ value, label }))}
          value={data.campaign_id}
          onChange={(campaign_id) => campaign_id && set({ campaign_id })}
          searchable
          allowDeselect={false}
          w="18rem"
        />
        <Radio.Group
          label={t(($) => $.imports.duplicates)}
          value={data.duplicates}
          onChange={(rule) => set({ duplicates: rule as Import['duplicates'] })}
        >
          <Stack gap={6} mt={6}>
            {rules.map((rule) => (
              <Radio key={rule} value={rule} label={t(($) => $.imports.rules[rule])} />
            ))}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label={t(($) => $.imports.encoding)}
          description={t(($) => $.imports.encodingHint)}
          data={[...new Set([data.encoding ?? 'utf-8', ...encodings])]}
          value={data.encoding ?? 'utf-8'}
          disabled={change.isPending}
          onChange={(event) => set({ encoding: event.currentTarget.value })}
        />
      </Group>
      <ColumnTable data={data} onChange={(mapping) => set({ mapping })} />
      {fault && <FaultNotice fault={fault} />}
      {data.checked && <CheckResult data={data} outcome={data.checked} />}
      <Group>
        {!data.checked && (
          <Button
            disabled={!isReady}
            loading={check.isPending}
            onClick={() => check.mutate({ path, headers: attempt.headers() })}
          >
            {t(($) => $.imports.check)}
          </Button>
        )}
        {data.state === 'checked' && data.checked && (
          <Button
            disabled={data.checked.problem !== null || !isReady}
            loading={start.isPending}
            onClick={() => start.mutate({ path, headers: attempt.headers() })}
          >
            {t(($) => $.imports.start, { count: data.checked.added + data.checked.updated })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
