import { Anchor, Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  checkMailboxDnsOptions,
  getMailboxOptions,
  listMailboxesOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { BackLink } from '../../ui/BackLink.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { RoleNeeded } from '../users/index.ts'
import { ConnectAddress } from './ConnectAddress.tsx'
import classes from './ConnectPage.module.css'
import { ConnectStep } from './ConnectStep.tsx'

// Of the later steps.
const ChangeLogin = lazyPart(() => import('./ChangeLogin.tsx'), 'ChangeLogin')
const ConnectLogin = lazyPart(() => import('./ConnectLogin.tsx'), 'ConnectLogin')
const MissingRecords = lazyPart(() => import('./MissingRecords.tsx'), 'MissingRecords')
const SendingForm = lazyPart(() => import('./SendingForm.tsx'), 'SendingForm')
const TestRun = lazyPart(() => import('./TestRun.tsx'), 'TestRun')

const route = getRouteApi('/signed-in/w/$handle/settings/mailboxes/connect')

/** From an address to a mailbox that sends: how far somebody has come is in the address bar. */
export function ConnectPage() {
  const { t } = useTranslation()
  const { handle } = route.useParams()
  const { address, mailbox: id } = route.useSearch()
  const navigate = route.useNavigate()
  const cache = useQueryClient()
  const [test, setTest] = useState<'running' | 'works' | 'fails' | 'passed-over'>('running')
  // What is typed in the step after it outlives another test.
  const [wasTested, setWasTested] = useState(false)
  const [run, setRun] = useState(0)
  const mailbox = useQuery({ ...getMailboxOptions({ path: { id: id ?? '' } }), enabled: !!id }).data
  // Until they are shown below, what the test found of them stands nowhere else.
  const records = useQuery({
    ...checkMailboxDnsOptions({ path: { id: id ?? '' } }),
    enabled: false,
  }).data
  const again = () => {
    setTest('running')
    setRun(run + 1)
  }
  const end = (result: 'works' | 'fails' | 'passed-over') => {
    setTest(result)
    if (result !== 'fails') setWasTested(true)
  }
  const shownAddress = mailbox?.address ?? address
  const isTested = test === 'works' || test === 'passed-over'
  const states = {
    address: shownAddress ? ('done' as const) : ('now' as const),
    login: id ? ('done' as const) : shownAddress ? ('now' as const) : ('later' as const),
    test: !id ? ('later' as const) : isTested ? ('done' as const) : ('now' as const),
    sending: id && wasTested ? ('now' as const) : ('later' as const),
  }
  const finish = async () => {
    notifications.show({ message: t(($) => $.mailboxes.connect.done, { address: shownAddress }) })
    const { items } = await cache.fetchQuery(listMailboxesOptions({ query: { limit: 2 } }))
    // After the first one there is more to do, and the first page says what.
    if (items.length === 1) await navigate({ to: '/w/$handle', params: { handle } })
    else await navigate({ to: '/w/$handle/settings/mailboxes', params: { handle }, search: {} })
  }
  return (
    <RoleNeeded least="admin">
      <Page
        title={t(($) => $.mailboxes.connect.title)}
        lead={t(($) => $.mailboxes.connect.lead)}
        back={
          <BackLink to="/w/$handle/settings/mailboxes" params={{ handle }} search={{}}>
            {t(($) => $.mailboxes.all)}
          </BackLink>
        }
      >
        <ol className={classes.steps}>
          <ConnectStep
            number={1}
            title={t(($) => $.mailboxes.connect.steps.address)}
            state={states.address}
            summary={
              <>
                {shownAddress}{' '}
                {!id && (
                  <Anchor
                    component="button"
                    size="sm"
                    onClick={() => void navigate({ search: {} })}
                  >
                    {t(($) => $.mailboxes.login.change)}
                  </Anchor>
                )}
              </>
            }
          >
            <ConnectAddress onDone={(typed) => void navigate({ search: { address: typed } })} />
          </ConnectStep>
          <ConnectStep
            number={2}
            title={t(($) => $.mailboxes.connect.steps.login)}
            state={states.login}
            summary={mailbox && t(($) => $.mailboxes.logins[mailbox.imap.login])}
          >
            <ConnectLogin
              address={address ?? ''}
              onDone={(added) =>
                // Back leads to no form that would add it once more.
                void navigate({
                  search: { address: added.address, mailbox: added.id },
                  replace: true,
                })
              }
            />
          </ConnectStep>
          <ConnectStep
            number={3}
            title={t(($) => $.mailboxes.connect.steps.test)}
            state={states.test}
            stays
          >
            {id && (
              <Stack>
                <TestRun
                  key={run}
                  mailboxId={id}
                  startsAtOnce
                  areRecordsBelow={isTested && records !== undefined}
                  onDone={(works) => end(works ? 'works' : 'fails')}
                />
                {isTested && (
                  <Suspense fallback={<LoadingRows rows={3} />}>
                    <MissingRecords mailboxId={id} />
                  </Suspense>
                )}
                {test === 'fails' && mailbox && (
                  <>
                    <ChangeLogin mailbox={mailbox} onDone={again} />
                    <Group>
                      <Button variant="subtle" onClick={() => end('passed-over')}>
                        {t(($) => $.mailboxes.connect.goOn)}
                      </Button>
                    </Group>
                  </>
                )}
              </Stack>
            )}
          </ConnectStep>
          <ConnectStep
            number={4}
            title={t(($) => $.mailboxes.connect.steps.sending)}
            state={states.sending}
          >
            {mailbox && (
              <SendingForm
                mailbox={mailbox}
                isNew
                submit={t(($) => $.mailboxes.connect.finish)}
                onDone={() => void finish()}
              />
            )}
          </ConnectStep>
        </ol>
      </Page>
    </RoleNeeded>
  )
}
