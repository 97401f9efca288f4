import { Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  changeImportMutation,
  checkImportMutation,
  getImportQueryKey,
  startImportMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { ChangeImportData, Import } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { CheckResult } from './CheckResult.tsx'
import { ChooseCampaign } from './ChooseCampaign.tsx'
import { ColumnTable } from './ColumnTable.tsx'

const rules = ['skip', 'update', 'skip_anywhere'] as const
const encodings = [
  ...['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'iso-8859-15', 'windows-1250'],
  ...['windows-1251', 'macintosh', 'shift_jis', 'gb18030', 'big5', 'euc-kr'],
]

type Change = Pick<ChangeImportData, 'body' | 'path'>

/** What becomes of the columns, where the leads go, and what a check says of it. */
export function MappingStep({ data: stored }: { data: Import }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const path = { id: stored.id }
  const key = getImportQueryKey({ path })
  const keep = {
    async onSuccess(answer: Import) {
      idempotencyKey.renew()
      // What was asked for before may come later, and is older.
      await cache.cancelQueries({ queryKey: key })
      cache.setQueryData(key, answer)
    },
  }
  const mutationKey = ['change import', stored.id]
  // One after the other.
  const change = useMutation({
    ...changeImportMutation(),
    ...keep,
    mutationKey,
    scope: { id: stored.id },
  })
  const onTheirWay = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select({ state }) {
      // Only the server tells what another encoding makes of the file.
      const { encoding: _, ...body } = (state.variables as Change).body
      return { ...body, checked: null }
    },
  })
  // Shown at once, whatever is read meanwhile.
  const data: Import = Object.assign({}, stored, ...onTheirWay)
  const isChanging = onTheirWay.length > 0
  const check = useMutation({ ...checkImportMutation(), ...keep })
  const start = useMutation({
    ...startImportMutation(),
    ...keep,
    // Somebody else may have changed it: it is looked at again.
    onError: () => void cache.invalidateQueries({ queryKey: key }),
  })
  const isKept = useRef(Promise.resolve(true))
  const set = (body: Change['body']) => {
    check.reset()
    start.reset()
    isKept.current = change.mutateAsync({ path, body }).then(
      () => true,
      () => false,
    )
  }
  const beginCheck = async () => {
    start.reset()
    // Pressing its button leaves the name of a variable, which may be refused.
    if (cache.isMutating({ mutationKey }) > 0 && !(await isKept.current)) return
    check.mutate({ path, headers: idempotencyKey.headers('check') })
  }
  const fault = start.error ?? check.error ?? change.error
  const isHere = data.state !== 'uploading'
  const isReady = isHere && data.campaign_id !== null
  return (
    <Stack>
      <Group align="flex-start" gap="xl">
        <ChooseCampaign value={data.campaign_id} onChoose={(campaign_id) => set({ campaign_id })} />
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
          disabled={isChanging}
          onChange={(event) => set({ encoding: event.currentTarget.value })}
        />
      </Group>
      <ColumnTable
        key={stored.encoding}
        data={data}
        fault={change.error}
        onChange={(mapping) => set({ mapping })}
      />
      {fault && <FaultNotice fault={fault} />}
      {data.checked && <CheckResult data={data} outcome={data.checked} />}
      <Group>
        {/* What kept it from being imported may be mended: the plan has more room, for one. */}
        {(!data.checked || data.checked.problem !== null) && (
          <Button
            disabled={!isReady}
            loading={check.isPending}
            // The name of a variable is left by the click, not by the press before it: what is said of the
            // last one goes then, and the button moves.
            onMouseDown={(event) => event.preventDefault()}
            onClick={(event) => {
              event.currentTarget.focus()
              void beginCheck()
            }}
          >
            {t(($) => (data.checked ? $.imports.checkAgain : $.imports.check))}
          </Button>
        )}
        {isHere && data.campaign_id === null && (
          <Text size="sm" c="dimmed">
            {t(($) => $.imports.campaignMissing)}
          </Text>
        )}
        {data.state === 'checked' && data.checked && (
          <Button
            disabled={data.checked.problem !== null || !isReady || isChanging}
            loading={start.isPending}
            onClick={() =>
              start.mutate({
                path,
                body: { seen_timestamp_updated: data.timestamp_updated },
                headers: idempotencyKey.headers(`start ${data.timestamp_updated}`),
              })
            }
          >
            {t(($) => $.imports.start, { count: data.checked.added + data.checked.updated })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
