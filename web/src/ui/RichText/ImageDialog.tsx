import { Modal, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Form } from '../Form.tsx'
import { FormButtons } from '../FormButtons.tsx'

export interface ImageText {
  src: string
  /** What is to be seen on it. */
  alt: string
}

interface ImageDialogProps {
  /** Without an address it is a new one. */
  image: ImageText
  onSave: (image: ImageText) => void
  onClose: () => void
}

/** Asks where an image lies, and what stands for it where it is not seen. */
export function ImageDialog({ image, onSave, onClose }: ImageDialogProps) {
  const { t } = useTranslation()
  const isNew = image.src === ''
  const form = useForm({
    initialValues: image,
    validate: {
      src: (src) => (/^https?:\/\//i.test(src.trim()) ? null : t(($) => $.richText.imageRefused)),
    },
  })
  const submit = form.onSubmit(({ src, alt }) => {
    onSave({ src: src.trim(), alt: alt.trim() })
    onClose()
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(($) => (isNew ? $.richText.image : $.richText.imageChange))}
    >
      <Form
        onSubmit={(event) => {
          // The editor may stand in a form itself.
          event.stopPropagation()
          submit(event)
        }}
        fault={null}
      >
        <TextInput
          {...form.getInputProps('src')}
          label={t(($) => $.richText.imageAddress)}
          placeholder="https://"
          type="url"
          maxLength={8000}
          data-autofocus
        />
        <TextInput
          {...form.getInputProps('alt')}
          label={t(($) => $.richText.imageDescription)}
          description={t(($) => $.richText.imageDescriptionHint)}
        />
        <FormButtons
          submit={t(($) => (isNew ? $.richText.imageInsert : $.common.save))}
          isBusy={false}
          onCancel={onClose}
        />
      </Form>
    </Modal>
  )
}
