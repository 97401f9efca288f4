import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AcquiredEmail, FoundContact } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { fullName } from '../../lib/text.ts'
import { EmailWithStatus } from './EmailWithStatus.tsx'
import { addressKey, reveal } from './reveal.ts'

interface RevealProps {
  contact: FoundContact
  mayReveal: boolean
  price: number
  list: string
}

/** The address of one contact, or the button that asks for it and says what it costs. */
export function Reveal({ contact, mayReveal, price, list }: RevealProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const { id, acquired } = contact
  // Rows that leave the screen forget what they know.
  const known = useQuery<AcquiredEmail>({ queryKey: addressKey(id), queryFn: skipToken })
  const ask = useMutation({
    // Into another list it is another request, also when the answer to the first one got lost.
    mutationFn: () =>
      reveal(cache, { contactId: id, list, headers: idempotencyKey.headers(list.trim()) }),
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  if (known.data?.email) return <EmailWithStatus found={known.data} />
  if (known.data) {
    return (
      <Text size="sm" c="dimmed">
        {t(($) => $.contacts.notFound)}
      </Text>
    )
  }
  if (!mayReveal) return <span aria-hidden>•••••</span>
  const label = acquired ? t(($) => $.contacts.show) : t(($) => $.contacts.reveal, { count: price })
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={ask.isPending}
      aria-label={`${label}: ${fullName(contact)}`}
      onClick={() => ask.mutate()}
    >
      {label}
    </Button>
  )
}
