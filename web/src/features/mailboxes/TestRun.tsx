import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Fault, isFault, unreachable } from '../../api/fault.ts'
import {
  getMailboxQueryKey,
  listMailboxesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { testMailbox } from '../../api/generated/sdk.gen.ts'
import type { MailboxTestLine } from '../../api/generated/types.gen.ts'
import { readLines } from '../../lib/ndjson.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { TestSteps } from './TestSteps.tsx'

interface TestRunProps {
  mailboxId: string
  /** Without somebody pressing the button. */
  startsAtOnce?: boolean
  areRecordsBelow?: boolean
  /** Whether it works. */
  onDone?: (works: boolean) => void
}

/** Logs in, sends a mail and waits for it: each step is shown when it is over. */
export function TestRun(props: TestRunProps) {
  const { mailboxId, startsAtOnce = false, areRecordsBelow = false, onDone } = props
  const { t } = useTranslation()
  const cache = useQueryClient()
  const running = useRef<AbortController>(undefined)
  const [lines, setLines] = useState<MailboxTestLine[]>()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()

  const run = async () => {
    running.current?.abort()
    const controller = new AbortController()
    const { signal } = controller
    running.current = controller
    setLines([])
    setFault(undefined)
    setBusy(true)
    try {
      for await (const line of await begin(mailboxId, signal)) {
        if (signal.aborted) return
        setLines((before = []) => [...before, line])
        if (line.step === 'done') onDone?.(line.status === 'ok')
      }
    } catch (thrown) {
      if (!signal.aborted) setFault(isFault(thrown) ? thrown : unreachable)
    }
    if (signal.aborted) return
    setBusy(false)
    await cache.invalidateQueries({ queryKey: getMailboxQueryKey({ path: { id: mailboxId } }) })
    await cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
  }
  const runAtOnce = useEffectEvent(() => startsAtOnce && void run())
  useEffect(() => {
    runAtOnce()
    return () => running.current?.abort()
  }, [])

  const done = lines?.find(({ step }) => step === 'done')
  return (
    <Stack gap="sm">
      {lines && <TestSteps lines={lines} isBusy={isBusy} areRecordsBelow={areRecordsBelow} />}
      {fault && <FaultNotice fault={fault} />}
      {done && (
        <Text role="status" fw={500}>
          {done.detail ||
            (done.status === 'ok'
              ? t(($) => $.mailboxes.test.works)
              : t(($) => $.mailboxes.test.fails))}
        </Text>
      )}
      <Group>
        <Button variant="default" loading={isBusy} onClick={() => void run()}>
          {lines ? t(($) => $.mailboxes.test.again) : t(($) => $.mailboxes.test.start)}
        </Button>
      </Group>
    </Stack>
  )
}

async function begin(id: string, signal: AbortSignal) {
  const { data } = await testMailbox({
    ...{ path: { id }, parseAs: 'stream', signal },
  })
  return readLines<MailboxTestLine>(data as unknown as ReadableStream<Uint8Array>)
}
