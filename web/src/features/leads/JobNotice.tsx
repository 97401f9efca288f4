import { Button, CloseButton, Group, Progress, Text } from '@mantine/core'
import { useDisclosure, useTimeout } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import {
  cancelLeadJobMutation,
  getLeadJobOptions,
  getLeadJobQueryKey,
  undoLeadJobMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { readAgain } from '../../api/read-again.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { undoMs } from '../../ui/showUndo.tsx'
import classes from './JobNotice.module.css'
import { Refusals } from './Refusals.tsx'

const pollMs = 1000

/** What became of a change of many leads: counts, refusals with their reasons, and the way back. */
export function JobNotice({ started, onClose }: { started: LeadJob; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [isListOpen, list] = useDisclosure()
  const idempotencyKey = useIdempotencyKey()
  const path = { id: started.id }
  const { data: job = started } = useQuery({
    ...getLeadJobOptions({ path }),
    initialData: started,
    // In a list the refusals are left out.
    initialDataUpdatedAt: started.refused > started.refusals.length ? 0 : undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
  })
  const readLeadsAgain = () => readAgain(cache, ['listLeads', 'countLeads'])
  const undo = useMutation({
    ...undoLeadJobMutation(),
    async onSuccess(answer) {
      await readLeadsAgain()
      const count = job.changed - answer.changed
      if (count > 0) notifications.show({ message: t(($) => $.leads.job.undone, { count }) })
      // Some leads may not be what they were, and it says why.
      if (answer.refused === 0) onClose()
      else cache.setQueryData(getLeadJobQueryKey({ path }), answer)
    },
  })
  const cancel = useMutation(cancelLeadJobMutation())
  const isRunning = job.state === 'running'
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is over
  useEffect(() => void readLeadsAgain(), [isRunning])
  const { start, clear } = useTimeout(onClose, undoMs)
  const fault = undo.error ?? cancel.error
  // An undo whose answer got lost can be asked for again.
  const isSettled = !isRunning && !undo.isPending && !fault
  const leavesByItself = isSettled && job.refused === 0 && job.error === null
  useEffect(() => {
    if (leavesByItself) start()
    return clear
  }, [leavesByItself, start, clear])
  return (
    <div className={classes.notice} role="status">
      {fault && <FaultNotice fault={fault} />}
      {isRunning && <Progress value={(100 * job.looked_at) / Math.max(1, job.total)} aria-hidden />}
      <Group gap="sm">
        <Text size="sm">
          {isRunning
            ? t(($) => $.leads.job.running, { done: job.looked_at, total: job.total })
            : t(($) => $.leads.job[job.action], { count: job.changed })}
        </Text>
        {job.error && <Text size="sm">{job.error}</Text>}
        {job.refused > 0 && (
          <Button variant="subtle" size="xs" onClick={list.open}>
            {t(($) => $.leads.job.refused, { count: job.refused })}
          </Button>
        )}
        {isRunning && (
          <Button
            variant="default"
            size="xs"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ path })}
          >
            {t(($) => $.leads.job.cancel)}
          </Button>
        )}
        {job.can_undo && !isRunning && (
          <Button
            variant="default"
            size="xs"
            loading={undo.isPending}
            onClick={() => undo.mutate({ headers: idempotencyKey.headers(), path })}
          >
            {t(($) => $.common.undo)}
          </Button>
        )}
        <CloseButton ml="auto" aria-label={t(($) => $.common.close)} onClick={onClose} />
      </Group>
      <Refusals opened={isListOpen} job={job} onClose={list.close} />
    </div>
  )
}
