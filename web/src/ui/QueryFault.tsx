import { Box } from '@mantine/core'
import type { Fault } from '../api/fault.ts'
import { FaultNotice } from './FaultNotice.tsx'

interface QueryFaultProps {
  query: { error: Fault | null; refetch: () => unknown }
}

/**
 * Why a list is not there, or not fresh: then it stands above the rows, which stay, with whatever is
 * open over them.
 */
export function QueryFault({ query: { error, refetch } }: QueryFaultProps) {
  return (
    error && (
      <Box mb="md">
        <FaultNotice fault={error} onRetry={() => void refetch()} />
      </Box>
    )
  )
}
