import { Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { FaultNotice } from './FaultNotice.tsx'

interface FormProps {
  onSubmit: FormEventHandler<HTMLFormElement>
  /** What was refused and belongs to no field. */
  fault: Fault | null | undefined
  children: ReactNode
}

/** Fields one below the other; what is wrong is said by us and not by the browser. */
export const Form = ({ onSubmit, fault, children }: FormProps) => (
  <form onSubmit={onSubmit} noValidate>
    <Stack>
      {fault && <FaultNotice fault={fault} />}
      {children}
    </Stack>
  </form>
)
