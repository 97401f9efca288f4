import { useTranslation } from 'react-i18next'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/Section.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { ColorScheme } from './ColorScheme.tsx'
import { Profile } from './Profile.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { SessionList } from './SessionList.tsx'

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
        <SecondFactor />
      </Section>
      <Section title={t(($) => $.account.sessions)} lead={t(($) => $.account.sessionsLead)}>
        <SessionList />
      </Section>
    </Page>
  )
}
