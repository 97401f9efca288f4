import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Import } from '../../api/generated/types.gen.ts'
import { Counts } from './Counts.tsx'
import { SkippedRows } from './SkippedRows.tsx'

const route = getRouteApi('/signed-in/w/$handle/leads/import')

/** What became of every row. */
export function ImportDone({ data }: { data: Import }) {
  const { t } = useTranslation()
  const { handle } = route.useParams()
  return (
    <Stack>
      {data.error && (
        <Alert role="alert" color="red" variant="light">
          <Text size="sm">{data.error}</Text>
        </Alert>
      )}
      {data.result && <Counts outcome={data.result} />}
      {data.result && <SkippedRows id={data.id} outcome={data.result} />}
      <Group>
        {!data.result && (
          <Button
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$handle/leads/import"
                params={{ handle }}
                search={{ campaign: data.campaign_id ?? undefined }}
              />
            )}
          >
            {t(($) => $.imports.another)}
          </Button>
        )}
        {data.result && data.campaign_id && (
          <Button
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$handle/campaigns/$id"
                params={{ handle, id: data.campaign_id ?? '' }}
              />
            )}
          >
            {t(($) => $.imports.openCampaign)}
          </Button>
        )}
        {data.result && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$handle/leads"
                params={{ handle }}
                search={{ campaign: data.campaign_id ?? undefined }}
              />
            )}
          >
            {t(($) => $.imports.showLeads)}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
