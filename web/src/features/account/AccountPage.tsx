import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/Section.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { ColorScheme } from './ColorScheme.tsx'
import { Profile } from './Profile.tsx'

// Below what fits on a screen.
const SecondFactor = lazyPart(() => import('./SecondFactor.tsx'), 'SecondFactor')
const SessionList = lazyPart(() => import('./SessionList.tsx'), 'SessionList')

/** What belongs to the person, in whatever workspace. */
export function AccountPage() {
  const { t } = useTranslation()
  return (
    <Page title={t(($) => $.account.title)}>
      <Section title={t(($) => $.account.profile)}>
        <Profile />
      </Section>
      <Section title={t(($) => $.account.appearance)} lead={t(($) => $.account.appearanceLead)}>
        <ColorScheme />
      </Section>
      <Section title={t(($) => $.account.password)} lead={t(($) => $.account.passwordLead)}>
        <ChangePassword />
      </Section>
      <Section title={t(($) => $.account.secondFactor)} lead={t(($) => $.account.secondFactorLead)}>
        <Suspense fallback={<LoadingRows rows={1} />}>
          <SecondFactor />
        </Suspense>
      </Section>
      <Section title={t(($) => $.account.sessions)} lead={t(($) => $.account.sessionsLead)}>
        <Suspense fallback={<LoadingRows rows={3} />}>
          <SessionList />
        </Suspense>
      </Section>
    </Page>
  )
}
