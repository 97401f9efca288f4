import { isNotEmpty, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { headerProblem, type WebhookValues } from './webhook-form.ts'

/** The form of a webhook, with what is wrong before the server is asked. */
export function useWebhookForm(initialValues: WebhookValues, onValuesChange?: () => void) {
  const { t } = useTranslation()
  return useForm<WebhookValues>({
    initialValues,
    ...(onValuesChange ? { onValuesChange } : {}),
    validate: {
      name: isNotEmpty(t(($) => $.webhooks.form.nameMissing)),
      target_hook_url: isNotEmpty(t(($) => $.webhooks.form.targetMissing)),
      headers: {
        // `headers.0.name`
        name: (_name, { headers }, path) => {
          const problem = headerProblem(headers, Number(path.split('.')[1]))
          return problem && t(($) => $.webhooks.form.headerProblems[problem])
        },
      },
    },
  })
}
