import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../api/fault.ts'
import { FaultNotice } from './FaultNotice.tsx'

interface ConfirmModalProps {
  title: string
  /** What will be so afterwards, and whether it can be undone. */
  body: string
  /** The verb on the button, never "OK". */
  confirm: string
  /** On the other button; "Cancel" where nothing says more. */
  cancel?: string
  /** What it would do is not known yet. */
  isPreparing?: boolean
  /** What it would do could not be read. */
  isDisabled?: boolean
  isBusy: boolean
  fault: Fault | null
  onConfirm: () => void
  onClose: () => void
  /** What can be decided about it. */
  children?: ReactNode
}

/** A part of its own, as few pages need it at once: `ConfirmDialog` shows it. */
export function ConfirmModal(props: ConfirmModalProps) {
  const { t } = useTranslation()
  const { title, body, confirm, isBusy, fault, onConfirm, onClose, children } = props
  const { cancel = t(($) => $.common.cancel), isPreparing = false, isDisabled = false } = props
  // What is being done is done: closed meanwhile, its answer would close what is asked next.
  const close = () => isBusy || onClose()
  return (
    // Before a dialog that was there already, or came while this was asked.
    <Modal opened onClose={close} title={title} zIndex={300}>
      <Stack>
        <Text>{body}</Text>
        {children}
        <NewFault fault={fault} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus disabled={isBusy} onClick={onClose}>
            {cancel}
          </Button>
          <Button
            color="red"
            loading={isBusy || isPreparing}
            disabled={isDisabled}
            onClick={onConfirm}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Opened again, it does not begin with the refusal of last time, which whatever was asked still knows. */
function NewFault({ fault }: Pick<ConfirmModalProps, 'fault'>) {
  const [before] = useState(fault)
  return fault && fault !== before && <FaultNotice fault={fault} />
}
