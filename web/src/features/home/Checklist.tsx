import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { listCampaignSummariesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Home } from '../../api/generated/types.gen.ts'
import { PathLink } from '../../ui/PathLink.tsx'
import { type PageName, pagePath } from '../links/index.ts'
import { isAtLeast, useWorkspace } from '../users/index.ts'
import classes from './Home.module.css'

type Done = Home['checklist']

/** What makes a workspace send, and then what tells other programs of it. */
const steps: readonly (readonly [step: keyof Done, page: PageName, least: 'member' | 'admin'])[] = [
  ['mailbox', 'connect', 'admin'],
  ['leads', 'import', 'member'],
  ['step', 'campaigns', 'member'],
  ['launch', 'campaigns', 'member'],
  ['key', 'keys', 'admin'],
  ['webhook', 'webhooks', 'admin'],
  ['verified', 'webhooks', 'admin'],
]

export const isChecklistDone = (done: Done) => steps.every(([step]) => done[step])

/** Ticked by what is there: nobody has to keep it. */
export function Checklist({ done }: { done: Done }) {
  const { t } = useTranslation()
  const { handle, role } = useWorkspace()
  const id = useId()
  const count = steps.filter(([step]) => done[step]).length
  const next = steps.find(([step]) => !done[step])?.[0]
  const drafts = useQuery({
    ...listCampaignSummariesOptions({ query: { status: 'draft', limit: 2 } }),
    enabled: !done.step,
  }).data?.items
  // Of several drafts nobody knows which one is meant.
  const draft = !done.step && drafts?.length === 1 ? drafts[0] : undefined
  return (
    <section aria-labelledby={id} className={classes.card}>
      <div className={classes.head}>
        <Title order={2} id={id}>
          {t(($) => $.home.checklist.title)}
        </Title>
        <Text size="sm" c="dimmed" className="numbers">
          {t(($) => $.home.checklist.count, { count, total: steps.length })}
        </Text>
      </div>
      <ol className={classes.steps}>
        {steps.map(([step, page, least]) => (
          <li key={step} data-done={done[step] || undefined}>
            {done[step] ? (
              <CircleCheck size="1.125rem" aria-label={t(($) => $.home.checklist.done)} />
            ) : (
              <CircleDashed size="1.125rem" aria-label={t(($) => $.home.checklist.open)} />
            )}
            <div>
              {isAtLeast(role, least) ? (
                <PathLink
                  path={
                    step === 'step' && draft
                      ? pagePath(handle, 'campaign', draft.id)
                      : pagePath(handle, page)
                  }
                  isPlain={done[step]}
                >
                  {t(($) => $.home.checklist.steps[step].name)}
                </PathLink>
              ) : (
                t(($) => $.home.checklist.steps[step].name)
              )}
              {step === next && (
                <Text size="sm" c="dimmed">
                  {t(($) =>
                    isAtLeast(role, least)
                      ? $.home.checklist.steps[step].how
                      : $.home.checklist.needs[least],
                  )}
                </Text>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
