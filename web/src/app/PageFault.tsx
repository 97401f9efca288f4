import { Center } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isFault, unreachable } from '../api/fault.ts'
import { FaultNotice } from '../ui/FaultNotice.tsx'

/** A page that could not be opened at all: the server is away, or a part of us is broken. */
export function PageFault({ error }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  // After an update the parts of the pages that were open are gone: loading them anew helps.
  const isStale = error instanceof TypeError && /import/i.test(error.message)
  const broken = { ...unreachable, message: t(($) => $.broken) }
  const fault = isFault(error) ? error : broken
  return (
    <Center p="lg">
      <FaultNotice
        fault={fault}
        onRetry={() => (isStale ? location.reload() : void router.invalidate())}
      />
    </Center>
  )
}
