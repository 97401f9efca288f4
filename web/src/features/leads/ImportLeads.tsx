import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'

/** The way to the import of a file, with its campaign chosen where there is one. */
export function ImportLeads({ campaignId }: { campaignId: string | undefined }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  return (
    <Button
      leftSection={<Upload size="1rem" aria-hidden />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/w/$handle/leads/import"
          params={{ handle }}
          search={{ campaign: campaignId }}
        />
      )}
    >
      {t(($) => $.leads.import)}
    </Button>
  )
}
