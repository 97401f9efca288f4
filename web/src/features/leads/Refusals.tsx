import { Modal, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { Table } from '../../ui/Table.tsx'

interface RefusalsProps {
  opened: boolean
  job: LeadJob
  onClose: () => void
}

/** Which leads were left as they are, and why each. */
export function Refusals({ opened, job, onClose }: RefusalsProps) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="xl"
      title={t(($) => $.leads.job.refused, { count: job.refused })}
    >
      <Table label={t(($) => $.leads.job.refusals)}>
        <thead>
          <tr>
            <th>{t(($) => $.leads.columns.email)}</th>
            <th>{t(($) => $.leads.job.why)}</th>
          </tr>
        </thead>
        <tbody>
          {job.refusals.map(({ lead_id, email, reason }) => (
            <tr key={lead_id}>
              <td>{email ?? lead_id}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {job.refused > job.refusals.length && (
        <Text size="xs" c="dimmed" mt="xs">
          {t(($) => $.leads.job.moreRefused, { count: job.refused - job.refusals.length })}
        </Text>
      )}
    </Modal>
  )
}
