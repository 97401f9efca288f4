import { Button, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { exportIdsMax } from './export-address.ts'

interface ExportLeadsProps {
  /** Undefined: too many are chosen one by one. */
  address: string | undefined
}

/** Downloads what is chosen, or says how to choose it so that it can be. */
export function ExportLeads({ address }: ExportLeadsProps) {
  const { t } = useTranslation()
  const look = {
    ...{ variant: 'default', size: 'xs' },
    leftSection: <Download size="0.875rem" aria-hidden />,
  }
  if (address) {
    return (
      <Button {...look} component="a" href={address} download>
        {t(($) => $.leads.bulk.export)}
      </Button>
    )
  }
  return (
    <>
      <Button {...look} disabled>
        {t(($) => $.leads.bulk.export)}
      </Button>
      <Text size="xs" c="dimmed">
        {t(($) => $.leads.bulk.exportTooMany, { count: exportIdsMax })}
      </Text>
    </>
  )
}
