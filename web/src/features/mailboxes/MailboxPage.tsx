import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getMailboxOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { BackLink } from '../../ui/BackLink.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { Page } from '../../ui/Page.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Section } from '../../ui/Section.tsx'
import { useMay } from '../users/index.ts'
import { MailboxState } from './MailboxState.tsx'
import { healthOf, mailboxPollMs } from './mailbox-health.ts'
import { PauseOrResume } from './PauseOrResume.tsx'
import { RemoveMailbox } from './RemoveMailbox.tsx'
import { removalOf } from './removal.ts'

// Below what is looked at first.
const SendingForm = lazyPart(() => import('./SendingForm.tsx'), 'SendingForm')
const HandOver = lazyPart(() => import('./HandOver.tsx'), 'HandOver')
const TestRun = lazyPart(() => import('./TestRun.tsx'), 'TestRun')
const DnsRecords = lazyPart(() => import('./DnsRecords.tsx'), 'DnsRecords')
const ChangeLogin = lazyPart(() => import('./ChangeLogin.tsx'), 'ChangeLogin')

const route = getRouteApi('/signed-in/w/$handle/settings/mailboxes/$id')

/** One mailbox: whether it works, how it sends, how it logs in, and its domain. */
export function MailboxPage() {
  const { t } = useTranslation()
  const { id, handle } = route.useParams()
  const mailbox = useQuery({
    ...getMailboxOptions({ path: { id } }),
    refetchInterval: ({ state }) => mailboxPollMs(state.data && [state.data]),
    enabled: useIsMutating({ mutationKey: removalOf(id) }) === 0,
  })
  const back = (
    <BackLink to="/w/$handle/settings/mailboxes" params={{ handle }} search={{}}>
      {t(($) => $.mailboxes.all)}
    </BackLink>
  )
  if (mailbox.error?.statusCode === 404) {
    return (
      <EmptyState
        isPage
        title={t(($) => $.notFound.title)}
        body={t(($) => $.mailboxes.gone)}
        action={back}
      />
    )
  }
  if (mailbox.data) {
    return (
      <Sections
        key={id}
        mailbox={mailbox.data}
        back={back}
        fault={<QueryFault query={mailbox} />}
      />
    )
  }
  return (
    <Page title={t(($) => $.mailboxes.one)} back={back}>
      {mailbox.isError ? (
        <FaultNotice fault={mailbox.error} onRetry={() => void mailbox.refetch()} />
      ) : (
        <LoadingRows rows={8} />
      )}
    </Page>
  )
}

interface SectionsProps {
  mailbox: Mailbox
  back: ReactNode
  /** Why what is shown is not fresh. */
  fault: ReactNode
}

function Sections({ mailbox, back, fault }: SectionsProps) {
  const { t } = useTranslation()
  const navigate = route.useNavigate()
  const [isRemoving, removing] = useDisclosure()
  const isAdmin = useMay('admin')
  const saved = () => notifications.show({ message: t(($) => $.common.saved) })
  // What an error mostly asks for stands next to it, and stays there while somebody types.
  const [isBroken] = useState(healthOf(mailbox) === 'error')
  // Until it is tested nobody knows whether another login works.
  const [logins, setLogins] = useState(0)
  const test = useRef<HTMLDivElement>(null)
  const testLogin = () => {
    setLogins((before) => before + 1)
    test.current?.scrollIntoView({ block: 'nearest' })
  }
  const { isNewLogin } = useLocation().state
  const testAtOnce = useEffectEvent(() => {
    if (!isNewLogin || !isAdmin) return
    testLogin()
    // Loaded anew, it is not tested once more.
    void navigate({ state: {}, replace: true })
  })
  useEffect(() => testAtOnce(), [])
  const login = (
    <Section title={t(($) => $.mailboxes.login.title)} lead={t(($) => $.mailboxes.login.lead)}>
      <Suspense fallback={<LoadingRows rows={3} />}>
        <ChangeLogin
          mailbox={mailbox}
          onDone={() => {
            saved()
            testLogin()
          }}
        />
      </Suspense>
    </Section>
  )
  return (
    <Page
      title={<MailAddress value={mailbox.address} />}
      tabTitle={mailbox.address}
      back={back}
      lead={t(($) => $.mailboxes.logins[mailbox.imap.login])}
      actions={isAdmin && <PauseOrResume mailbox={mailbox} />}
    >
      {fault}
      <Section title={t(($) => $.mailboxes.state.title)} lead={t(($) => $.mailboxes.state.lead)}>
        <MailboxState mailbox={mailbox} />
      </Section>
      {isAdmin && isBroken && login}
      {isAdmin && (
        <Section title={t(($) => $.mailboxes.test.title)} lead={t(($) => $.mailboxes.test.lead)}>
          <div ref={test}>
            <Suspense>
              <TestRun key={logins} mailboxId={mailbox.id} startsAtOnce={logins > 0} />
            </Suspense>
          </div>
        </Section>
      )}
      <Section
        title={t(($) => $.mailboxes.sending.title)}
        lead={t(($) => $.mailboxes.sending.lead)}
      >
        <Suspense fallback={<LoadingRows rows={8} />}>
          <SendingForm
            mailbox={mailbox}
            submit={t(($) => $.common.save)}
            isReadOnly={!isAdmin}
            onDone={saved}
          />
        </Suspense>
      </Section>
      <Section title={t(($) => $.mailboxes.dns.title)} lead={t(($) => $.mailboxes.dns.lead)}>
        <Suspense fallback={<LoadingRows rows={4} />}>
          <DnsRecords mailboxId={mailbox.id} />
        </Suspense>
      </Section>
      {isAdmin && (
        <>
          {!isBroken && login}
          <Section
            title={t(($) => $.mailboxes.handOver.section)}
            lead={t(($) => $.mailboxes.handOver.lead)}
          >
            <Suspense fallback={<LoadingRows rows={1} />}>
              <HandOver mailbox={mailbox} />
            </Suspense>
          </Section>
          <Section
            title={t(($) => $.mailboxes.remove.section)}
            lead={t(($) => $.mailboxes.remove.lead)}
          >
            <Button color="red" variant="light" onClick={removing.open}>
              {t(($) => $.mailboxes.remove.action)}
            </Button>
          </Section>
          {isRemoving && (
            <RemoveMailbox
              mailbox={mailbox}
              onClose={removing.close}
              onDone={() => navigate({ to: '/w/$handle/settings/mailboxes', search: {} })}
            />
          )}
        </>
      )}
    </Page>
  )
}
