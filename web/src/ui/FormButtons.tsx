import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

interface FormButtonsProps {
  /** Cancelled, it is not asked about as unsaved, and begins anew. */
  form?: { reset: () => void }
  submit: string
  isBusy: boolean
  /** What it does cannot be undone. */
  isDangerous?: boolean
  onCancel: () => void
  /** In place of Cancel while it is under way, where something can be done about that. */
  whileBusy?: ReactNode
}

/** How a form ends: Cancel, and beside it what the form does. */
export function FormButtons(props: FormButtonsProps) {
  const { form, submit, isBusy, isDangerous = false, onCancel, whileBusy } = props
  const { t } = useTranslation()
  return (
    <Group justify="flex-end">
      {(isBusy && whileBusy) || (
        // What is under way is done all the same.
        <Button
          variant="default"
          disabled={isBusy}
          onClick={() => {
            form?.reset()
            onCancel()
          }}
        >
          {t(($) => $.common.cancel)}
        </Button>
      )}
      <Button type="submit" loading={isBusy} {...(isDangerous ? { color: 'red' } : {})}>
        {submit}
      </Button>
    </Group>
  )
}
