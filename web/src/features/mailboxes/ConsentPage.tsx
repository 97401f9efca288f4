import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  getMailboxQueryKey,
  listMailboxesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { finishConsent } from '../../api/generated/sdk.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { useToken } from '../../lib/useToken.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { useSignedIn } from '../users/index.ts'
import { readAsked } from './asked-consent.ts'
import { ConsentLogin } from './ConsentLogin.tsx'

const route = getRouteApi('/signed-in/w/$handle/settings/mailboxes/consent')

/** Where a provider sends people back to: what it gave them is handed in at once, and once. */
export function ConsentPage() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { handle } = route.useParams()
  const navigate = route.useNavigate()
  const idempotencyKey = useIdempotencyKey()
  const answer = answerOf(useToken())
  const asked = readAsked(useSignedIn().user.id)
  const isHandedIn = useRef(false)
  const finish = useMutation<{ mailbox: Mailbox; isNew: boolean }, Fault>({
    async mutationFn() {
      const headers = idempotencyKey.headers()
      const { data, response } = await finishConsent({ headers, body: answer })
      return { mailbox: data, isNew: response.status === 201 }
    },
    async onSuccess({ mailbox }) {
      cache.setQueryData(getMailboxQueryKey({ path: { id: mailbox.id } }), mailbox)
      await cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
    },
  })
  const goOn = ({ mailbox: { id, address }, isNew }: { mailbox: Mailbox; isNew: boolean }) => {
    if (!isNew) {
      // How it sends was chosen before, and stays.
      const to = '/w/$handle/settings/mailboxes/$id'
      const state = { isNewLogin: true }
      return navigate({ to, params: { handle, id }, state, replace: true })
    }
    return navigate({
      to: '/w/$handle/settings/mailboxes/connect',
      search: { address, mailbox: id },
      replace: true,
    })
  }
  const handIn = useEffectEvent(() => {
    // React runs effects twice while developing; the code is good once.
    if (isHandedIn.current) return
    isHandedIn.current = true
    finish.mutate(undefined, { onSuccess: (connected) => void goOn(connected) })
  })
  useEffect(() => handIn(), [])
  const missing = finish.error?.details?.filter(({ path }) => path === '/scope') ?? []
  return (
    <Page title={t(($) => $.mailboxes.consent.title)}>
      {finish.isError ? (
        <Stack>
          <FaultNotice fault={finish.error} />
          {missing.length > 0 && (
            <div>
              <Text fw={500}>{t(($) => $.mailboxes.consent.tick)}</Text>
              <List size="sm" mt="xs">
                {missing.map(({ message }) => (
                  <List.Item key={message}>{message}</List.Item>
                ))}
              </List>
            </div>
          )}
          {asked && <ConsentLogin {...asked} />}
          <Group>
            <Button variant="default" component={Link} to={`/w/${handle}/settings/mailboxes`}>
              {t(($) => $.mailboxes.consent.back)}
            </Button>
          </Group>
        </Stack>
      ) : (
        <>
          <Text mb="md">{t(($) => $.mailboxes.consent.finishing)}</Text>
          <LoadingRows rows={3} />
        </>
      )}
    </Page>
  )
}

/** As it stood in the query that the provider led to. */
function answerOf(query: string) {
  const given = new URLSearchParams(query)
  const names = ['code', 'error', 'error_description'] as const
  const found = names.flatMap((name) => {
    const value = given.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { state: given.get('state') ?? '', ...Object.fromEntries(found) }
}
