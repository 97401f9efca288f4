import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Import } from '../../api/generated/types.gen.ts'
import { Counts } from './Counts.tsx'
import type { Outcome } from './outcome.ts'
import { SkippedRows } from './SkippedRows.tsx'

/** What an import would do, before it does. */
export function CheckResult({ data, outcome }: { data: Import; outcome: Outcome }) {
  const { t } = useTranslation()
  return (
    <section aria-label={t(($) => $.imports.checkResult)}>
      <Counts outcome={outcome} isCheck />
      {outcome.problem && (
        <Alert role="alert" color="red" variant="light" my="sm">
          <Text size="sm">{outcome.problem}</Text>
        </Alert>
      )}
      <SkippedRows id={data.id} outcome={outcome} />
    </section>
  )
}
