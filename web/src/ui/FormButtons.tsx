import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface FormButtonsProps {
  submit: string
  isBusy: boolean
  /** What it does cannot be undone. */
  isDangerous?: boolean
  onCancel: () => void
}

/** How a form ends: Cancel, and beside it what the form does. */
export function FormButtons({ submit, isBusy, isDangerous = false, onCancel }: FormButtonsProps) {
  const { t } = useTranslation()
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {t(($) => $.common.cancel)}
      </Button>
      <Button type="submit" loading={isBusy} {...(isDangerous ? { color: 'red' } : {})}>
        {submit}
      </Button>
    </Group>
  )
}
