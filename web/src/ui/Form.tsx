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

/** Fields one below the other; what is wrong is said by us, at the first of them, and by the browser where it cannot read what was typed. */
export function Form({ onSubmit, fault, children }: FormProps) {
  const submit: FormEventHandler<HTMLFormElement> = (event) => {
    const form = event.currentTarget
    // To us it is an empty field, and that may mean that there is no limit.
    const unreadable = Array.from(form.querySelectorAll('input')).find((e) => e.validity.badInput)
    if (unreadable) {
      event.preventDefault()
      unreadable.reportValidity()
      return
    }
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
