import { CloseButton, Group, Loader, Text } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listErasuresOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Erasure } from '../../api/generated/types.gen.ts'
import { readAgain } from '../../api/read-again.ts'
import { undoMs } from '../../ui/showUndo.tsx'
import classes from './JobNotice.module.css'

const pollMs = 1000
const shownMax = 20

/** People who are being erased, whoever asked for it, until nothing of them is left. */
export function ErasureNotices() {
  const cache = useQueryClient()
  const { data } = useQuery({
    ...listErasuresOptions({ query: { limit: shownMax } }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? pollMs : false),
  })
  // Those that were under way here: of what ended before nothing is told.
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const open = data?.items.filter(isOpen) ?? []
  if (open.some(({ id }) => !seen.has(id))) {
    setSeen(new Set([...seen, ...open.map(({ id }) => id)]))
  }
  const openCount = open.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is over
  useEffect(() => void readAgain(cache, ['listLeads', 'countLeads']), [openCount])
  const close = (id: string) => setSeen(new Set([...seen].filter((each) => each !== id)))
  return data?.items
    .filter(({ id }) => seen.has(id))
    .map((erasure) => (
      <ErasureNotice key={erasure.id} erasure={erasure} onClose={() => close(erasure.id)} />
    ))
}

const isOpen = ({ state }: Erasure) => state !== 'finished'

function ErasureNotice({ erasure, onClose }: { erasure: Erasure; onClose: () => void }) {
  const { t } = useTranslation()
  const { state, looked_at, error } = erasure
  const isOver = state === 'finished'
  const { start, clear } = useTimeout(onClose, undoMs)
  useEffect(() => {
    if (isOver) start()
    return clear
  }, [isOver, start, clear])
  return (
    <div className={classes.notice} role="status">
      <Group gap="sm">
        {!isOver && <Loader size="xs" aria-hidden />}
        <Text size="sm">{t(($) => $.leads.erase[state], { count: looked_at })}</Text>
        {error && <Text size="sm">{error}</Text>}
        {isOver && (
          <CloseButton ml="auto" aria-label={t(($) => $.common.close)} onClick={onClose} />
        )}
      </Group>
    </div>
  )
}
