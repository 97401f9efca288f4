import { Loader } from '@mantine/core'
import { Check, Circle, CircleX, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { MailboxTestLine } from '../../api/generated/types.gen.ts'
import classes from './TestSteps.module.css'

/** In the order in which they are tried. */
const steps = [
  { step: 'SPF', name: 'spf' },
  { step: 'DKIM', name: 'dkim' },
  { step: 'DMARC', name: 'dmarc' },
  { step: 'links', name: 'links' },
  { step: 'imap login', name: 'imap' },
  { step: 'smtp login', name: 'smtp' },
  { step: 'folders', name: 'folders' },
  { step: 'sending', name: 'sending' },
  { step: 'arrival', name: 'arrival' },
] as const

const icons = { ok: Check, warn: TriangleAlert, fail: CircleX }

interface TestStepsProps {
  lines: MailboxTestLine[]
  isBusy: boolean
  /** The records of the domain stand below, with what to do about each. */
  areRecordsBelow: boolean
}

const ofDomain: readonly string[] = ['spf', 'dkim', 'dmarc']

/** What was tried with what came of it, what is under way, and what is to come. */
export function TestSteps({ lines, isBusy, areRecordsBelow }: TestStepsProps) {
  const { t } = useTranslation()
  const lineOf = new Map(lines.map((line) => [line.step, line]))
  const last = steps.findLastIndex(({ step }) => lineOf.has(step))
  // The login to the sending server is tried also where the other one failed.
  const current = isBusy ? last + 1 : -1
  return (
    <ol className={classes.steps}>
      {steps.map(({ step, name }, index) => {
        const line = lineOf.get(step)
        // A login that failed leaves nothing to try after it.
        if (!line && !isBusy) return null
        if (areRecordsBelow && ofDomain.includes(name)) return null
        const Icon = line ? icons[line.status] : Circle
        return (
          <li key={step} data-status={line?.status ?? 'waiting'}>
            {index === current ? <Loader size="0.875rem" /> : <Icon size="1rem" aria-hidden />}
            <div>
              <strong>{t(($) => $.mailboxes.test.steps[name])}</strong>
              {line && <span>{line.detail}</span>}
              {line?.remedy && <em>{line.remedy}</em>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
