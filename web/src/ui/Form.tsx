import { Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Fault } from '../api/fault.ts'
import { FaultNotice } from './FaultNotice.tsx'

interface FormProps {
  onSubmit: FormEventHandler<HTMLFormElement>
  /** What was refused and belongs to no field. */
  fault: Fault | null | undefined
  children: ReactNode
}

/** Fields one below the other; what is wrong is said by us and not by the browser, at the first of them. */
export function Form({ onSubmit, fault, children }: FormProps) {
  const submit: FormEventHandler<HTMLFormElement> = (event) => {
    const form = event.currentTarget
    // The fields know what is wrong with them once they are drawn again.
    flushSync(() => onSubmit(event))
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {fault && <FaultNotice fault={fault} />}
        {children}
      </Stack>
    </form>
  )
}
