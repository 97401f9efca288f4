import { Button, CopyButton, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './BackupCodes.module.css'

/** Each opens once, when the telephone is not at hand. */
export function BackupCodes({ codes }: { codes: string[] }) {
  const { t } = useTranslation()
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t(($) => $.secondFactor.backupCodes)}
        </Text>
        <CopyButton value={codes.join('\n')}>
          {({ copied, copy }) => (
            <Button variant="subtle" size="compact-sm" onClick={copy}>
              {copied ? t(($) => $.common.copied) : t(($) => $.common.copy)}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" c="dimmed">
        {t(($) => $.secondFactor.backupLead)}
      </Text>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </div>
  )
}
