import { Button, Group, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Terminal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getWebhookRequestOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Read } from '../../ui/Read.tsx'
import classes from './AttemptFacts.module.css'
import { asCurl } from './curl.ts'

/** Headers and body of an attempt, and the same request for a shell. */
export function SentRequest({ id }: { id: string }) {
  const { t } = useTranslation()
  const request = useQuery(getWebhookRequestOptions({ path: { id } }))
  const [curl, setCurl] = useState<{ text: string; isCopied: boolean }>()
  // Signed at this moment: a receiver takes a signature for some minutes.
  const copy = async () => {
    const { data } = await request.refetch()
    if (!data) return
    const text = asCurl(data)
    const isCopied = await (navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    ) ?? false)
    setCurl({ text, isCopied })
  }
  return (
    <Read query={request} pending={<Skeleton height={240} mt="lg" />}>
      {({ url, headers, body, signed }) => (
        <>
          <Group justify="space-between" mt="lg" mb="xs">
            <Title order={3}>{t(($) => $.webhooks.panel.request)}</Title>
            {signed && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<Terminal size="0.875rem" aria-hidden />}
                onClick={() => void copy()}
              >
                {curl?.isCopied ? t(($) => $.common.copied) : t(($) => $.webhooks.panel.curl)}
              </Button>
            )}
          </Group>
          {/* Without a clipboard, as by plain HTTP, it is there to be selected. */}
          {curl && !curl.isCopied && (
            <CodeBlock label={t(($) => $.webhooks.panel.curl)}>{curl.text}</CodeBlock>
          )}
          <CodeBlock label={t(($) => $.webhooks.panel.request)}>
            {[`POST ${url}`, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n')}
          </CodeBlock>
          <Title order={3} mt="lg" mb="xs">
            {t(($) => $.webhooks.panel.body)}
          </Title>
          {body === null ? (
            <p className={classes.nothing}>{t(($) => $.webhooks.panel.bodyGone)}</p>
          ) : (
            <CodeBlock label={t(($) => $.webhooks.panel.body)}>{pretty(body)}</CodeBlock>
          )}
        </>
      )}
    </Read>
  )
}

const pretty = (body: string) => JSON.stringify(JSON.parse(body), null, 2)
