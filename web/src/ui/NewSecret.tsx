import { Alert, Button, Stack } from '@mantine/core'
import { KeyRound, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Secret } from './Secret.tsx'
import { ShownOnce } from './ShownOnce.tsx'

interface NewSecretProps {
  label: string
  /** Null in the answer to a request that was repeated. */
  secret: string | null
  /** What to do where it is null. */
  lost: string
  title: string
  body: string
  onDone: () => void
  /** What to do with it. */
  children: ReactNode
}

/** A secret that was just made, and is on no other page. */
export function NewSecret({ label, secret, lost, title, body, onDone, children }: NewSecretProps) {
  const { t } = useTranslation()
  if (secret === null) {
    return (
      <Stack>
        <Alert color="red" role="alert" icon={<TriangleAlert size="1rem" aria-hidden />}>
          {lost}
        </Alert>
        <Button onClick={onDone}>{t(($) => $.common.done)}</Button>
      </Stack>
    )
  }
  return (
    <ShownOnce done={t(($) => $.shownOnce.stored)} onDone={onDone}>
      <Alert color="ink" icon={<KeyRound size="1rem" aria-hidden />} title={title}>
        {body}
      </Alert>
      <Secret label={label} value={secret} isNew />
      {children}
    </ShownOnce>
  )
}
