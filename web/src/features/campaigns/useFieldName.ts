import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { named } from '../../lib/text.ts'
import type texts from '../../texts/en.json'
import { letterOf } from './steps/edit-steps.ts'

type Option = keyof (typeof texts)['campaigns']['options']['fields']
type Field = keyof (typeof texts)['campaigns']['conflict']['fields']
type Day = keyof (typeof texts)['campaigns']['schedule']['days']

/** `/sequences/0/steps/1/variants/0/body` is "Step 2", "Variant A" and "Text". */
export function useFieldLabels() {
  const { t } = useTranslation()
  const itemIn = (list: string | undefined, at: number, { campaign_schedule }: Campaign) => {
    if (list === 'steps') return t(($) => $.campaigns.steps.number, { number: at + 1 })
    if (list === 'variants') {
      return t(($) => $.campaigns.steps.variant, { letter: letterOf(at + 1) })
    }
    if (list === 'schedules') {
      const name = campaign_schedule.schedules[at]?.name
      return name || t(($) => $.campaigns.schedule.newName, { number: at + 1 })
    }
    if (list === 'days') return t(($) => $.campaigns.schedule.days[`${at}` as Day])
    return []
  }
  const fieldOf = (name: string) =>
    t(($) => $.campaigns.options.fields[name as Option].label, {
      defaultValue: t(($) => $.campaigns.conflict.fields[name as Field], { defaultValue: name }),
    })
  return (path: string, campaign: Campaign): string[] => {
    const parts = path.split('/').slice(1)
    const labels = parts.flatMap((part, index) => {
      if (/^\d+$/.test(part)) return itemIn(parts[index - 1], Number(part), campaign)
      return index === parts.length - 1 ? fieldOf(part) : []
    })
    // Items of other lists have no name: it is that of the list.
    return labels.length > 0 ? labels : [fieldOf(parts.at(-2) ?? '')]
  }
}

/** "Step 2, Variant A, Text". */
export function useFieldName() {
  const labelsOf = useFieldLabels()
  return (path: string, campaign: Campaign) => labelsOf(path, campaign).join(', ')
}

/** What was refused of a campaign, in the names that its page has: the server says where it stands in the body. */
export function useInWords() {
  const nameOf = useFieldName()
  return (fault: Fault, campaign: Campaign): Fault => {
    const details = (fault.details ?? []).map((detail) => ({
      ...detail,
      message: named(detail, nameOf(detail.path, campaign)),
    }))
    const first = fault.details?.findIndex(({ message }) => message === fault.message) ?? -1
    return { ...fault, message: details[first]?.message ?? fault.message, details }
  }
}
