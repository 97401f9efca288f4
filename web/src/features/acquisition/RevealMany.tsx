import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useWorkspace } from '../users/index.ts'
import { reveal } from './reveal.ts'

interface RevealManyProps {
  contactIds: string[]
  list: string
  price: number
  onClose: () => void
}

/** One after the other, so that it can be stopped at any of them. */
export function RevealMany({ contactIds, list, price, onClose }: RevealManyProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id: workspaceId } = useWorkspace()
  const idempotencyKey = useIdempotencyKey()
  const [state, setState] = useState<'asked' | 'running' | 'over'>('asked')
  const [done, setDone] = useState({ asked: 0, found: 0, refused: 0, charged: 0 })
  const [fault, setFault] = useState<Fault>()
  const isStopped = useRef(false)
  const count = contactIds.length

  async function run() {
    setState('running')
    setFault(undefined)
    isStopped.current = false
    // What was asked for before a fault or a stop stays.
    for (const contactId of contactIds.slice(done.asked)) {
      if (isStopped.current) break
      // Another workspace may be looked at when the next one is asked for, and would pay.
      const headers = { ...idempotencyKey.headers(contactId), 'X-Workspace-ID': workspaceId }
      try {
        const { status, credits_charged } = await reveal(cache, { contactId, list, headers })
        const isFound = status === 'acquired'
        setDone(({ asked, found, charged, ...rest }) => ({
          ...rest,
          asked: asked + 1,
          found: found + Number(isFound),
          charged: charged + credits_charged,
        }))
      } catch (thrown) {
        const fault = thrown as Fault
        // The next one may be revealed all the same.
        if (concernsOneContact(fault)) {
          setDone((before) => ({
            ...before,
            asked: before.asked + 1,
            refused: before.refused + 1,
          }))
          continue
        }
        setFault(fault)
        break
      }
    }
    setState('over')
  }

  const stop = () => {
    isStopped.current = true
  }
  // Whoever leaves the page leaves what is not asked for yet.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const isLeft = done.asked < count
  return (
    <Modal
      opened
      onClose={() => {
        stop()
        onClose()
      }}
      title={t(($) => $.contacts.revealMany.title, { count })}
    >
      <Stack>
        <Text>
          {state === 'asked'
            ? t(($) => $.contacts.revealMany.cost, { count: count * price, list })
            : t(($) => $.contacts.revealMany.progress, { ...done, count })}
        </Text>
        {state !== 'asked' && (
          <Progress
            value={(done.asked / count) * 100}
            aria-label={t(($) => $.contacts.revealMany.title, { count })}
          />
        )}
        {done.refused > 0 && (
          <Text>{t(($) => $.contacts.revealMany.refused, { count: done.refused })}</Text>
        )}
        {fault && <FaultNotice fault={fault} />}
        <Group justify="flex-end">
          {state === 'running' ? (
            <Button variant="default" onClick={stop}>
              {t(($) => $.contacts.revealMany.stop)}
            </Button>
          ) : (
            <Button variant="default" onClick={onClose}>
              {state === 'over' ? t(($) => $.common.done) : t(($) => $.common.cancel)}
            </Button>
          )}
          {state !== 'running' && isLeft && (
            <Button data-autofocus onClick={() => void run()}>
              {state === 'asked'
                ? t(($) => $.contacts.revealMany.begin)
                : t(($) => $.contacts.revealMany.goOn)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** The person asked not to be contacted, or is gone: asking again changes nothing. */
const concernsOneContact = ({ code }: Fault) => code === 'not_eligible' || code === 'not_found'
