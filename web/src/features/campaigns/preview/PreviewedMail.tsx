import { Alert, Text } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailPreview } from '../../../api/generated/types.gen.ts'
import { MailFrame } from '../../../ui/MailFrame.tsx'
import type { CampaignSearch } from '../search.ts'
import classes from './PreviewedMail.module.css'

interface PreviewedMailProps {
  preview: MailPreview
  view: CampaignSearch['view']
}

/** The mail, or why it cannot be made for the lead, and what else a person should know. */
export function PreviewedMail({ preview, view }: PreviewedMailProps) {
  const { t } = useTranslation()
  const { mail, refusal, warnings } = preview
  const icon = <TriangleAlert size="1rem" aria-hidden />
  return (
    <>
      {refusal && (
        <Alert color="red" icon={icon}>
          {t(($) => $.campaigns.preview.notMade, { why: refusal })}
        </Alert>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" icon={icon}>
          {warning}
        </Alert>
      ))}
      {mail && (
        <article>
          <dl className={classes.head}>
            <dt>{t(($) => $.campaigns.preview.from)}</dt>
            <dd>{mail.from}</dd>
            <dt>{t(($) => $.campaigns.preview.to)}</dt>
            <dd>{mail.to.join(', ')}</dd>
            {(['cc', 'bcc'] as const).map(
              (name) =>
                mail[name].length > 0 && (
                  <Fragment key={name}>
                    <dt>{t(($) => $.campaigns.preview[name])}</dt>
                    <dd>{mail[name].join(', ')}</dd>
                  </Fragment>
                ),
            )}
            <dt>{t(($) => $.campaigns.steps.subject)}</dt>
            <dd>{mail.subject}</dd>
          </dl>
          {view === undefined && mail.html === null && (
            <Text size="xs" c="dimmed" mb={4}>
              {t(($) => $.campaigns.preview.textOnly)}
            </Text>
          )}
          {view === undefined && mail.html !== null ? (
            <MailFrame
              title={mail.subject || t(($) => $.campaigns.tabs.preview)}
              html={mail.html}
            />
          ) : (
            <pre className={classes.text}>{view === 'headers' ? mail.headers : mail.text}</pre>
          )}
        </article>
      )}
    </>
  )
}
