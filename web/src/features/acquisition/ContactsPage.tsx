import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { getAcquisitionBalanceOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { Balance } from './Balance.tsx'
import classes from './ContactsPage.module.css'
import { SearchContacts } from './SearchContacts.tsx'
import { type ContactView, filterOf, views } from './search.ts'

// Looked at less often than the search.
const ContactLists = lazyPart(() => import('./ContactLists.tsx'), 'ContactLists')
const CreditLedger = lazyPart(() => import('./CreditLedger.tsx'), 'CreditLedger')

const route = getRouteApi('/signed-in/w/$handle/contacts')

/** People to write to: found in the directory, revealed for credits, kept in lists. */
export function ContactsPage() {
  const { t } = useTranslation()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const balance = useQuery(getAcquisitionBalanceOptions())
  if (balance.error?.code === 'entitlement_required') {
    return (
      <Page title={t(($) => $.contacts.title)}>
        <EmptyState
          title={t(($) => $.contacts.notInPlan.title)}
          body={t(($) => $.contacts.notInPlan.body)}
        />
      </Page>
    )
  }
  const { view = 'search' } = search
  return (
    <Page
      title={t(($) => $.contacts.title)}
      lead={t(($) => $.contacts.lead)}
      fill
      actions={balance.data && <Balance balance={balance.data} />}
    >
      <Tabs
        value={view}
        className={classes.tabs}
        onChange={(chosen) =>
          void navigate({ search: { ...filterOf(search), view: shown(chosen as ContactView) } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {views.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(($) => $.contacts.views[each])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="search" className={classes.panel}>
          <SearchContacts
            filter={filterOf(search)}
            onChange={(filter) => void navigate({ search: filter, replace: true })}
            price={balance.data?.costs.acquire_email ?? 1}
          />
        </Tabs.Panel>
        <Suspense fallback={<LoadingRows rows={5} />}>
          <Tabs.Panel value="lists" className={classes.panel}>
            <ContactLists
              open={search.list}
              onOpen={(list) => void navigate({ search: { ...search, list } })}
              onSearch={() => void navigate({ search: {} })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="credits" className={classes.panel}>
            <CreditLedger />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Page>
  )
}

/** The search is what the address shows when it says nothing. */
const shown = (view: ContactView) => (view === 'search' ? undefined : view)
