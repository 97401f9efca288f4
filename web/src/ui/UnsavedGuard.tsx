import { useDisclosure } from '@mantine/hooks'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { whenSigningOut } from '../api/sign-out.ts'
import { briefly } from '../lib/briefly.ts'
import { useIsHere } from '../lib/useIsHere.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'

/**
 * What of an address has a form open; the rest of it are filters and tabs beside the form. The last two
 * are steps of connecting a mailbox: the inbox, which has a filter of that name, keeps what is typed.
 */
const openers = ['panel', 'lead', 'tab', 'address', 'mailbox'] as const

/** Whoever has said that they leave is not asked by the next form of the page, which is asked right after. */
let isLeaving = false

interface UnsavedGuardProps {
  isUnsaved: () => boolean
  /** Nobody leaves what is under way, because its answer is shown only once. */
  isBusy?: boolean
  /** Whoever leaves meanwhile is asked only if that is refused. */
  isSaving?: boolean
  /** The form is on a page, or in a panel of another kind, that stays while a panel is opened over it. */
  staysBelowPanels?: boolean
}

/**
 * Within a form: asks before somebody loses what they typed, by a link, by Back, by closing the panel or
 * the tab, by signing out. Whoever saves or cancels it says so first (`resetDirty`, `reset`), and is not asked.
 */
export function UnsavedGuard({
  isUnsaved,
  isBusy = false,
  isSaving = false,
  staysBelowPanels = false,
}: UnsavedGuardProps) {
  const { t } = useTranslation()
  const [isAsking, asking] = useDisclosure()
  const decide = useRef<(stays: boolean) => void>(undefined)
  const holds = () => isBusy || isUnsaved()
  // While it is saved the form is drawn again.
  const latest = useRef(holds)
  latest.current = holds
  const isHere = useIsHere()
  // Not that of anything else, which may take long and saves nothing of this form.
  const saving = useRef<PromiseWithResolvers<void>>(undefined)
  useEffect(() => {
    if (!isSaving) return undefined
    saving.current = Promise.withResolvers()
    return () => saving.current?.resolve()
  }, [isSaving])
  const body = t(($) => $.unsaved.body)
  const lost = () => (isBusy ? t(($) => $.unsaved.busy) : isUnsaved() ? body : undefined)
  const cache = useQueryClient()
  const finish = async () => {
    // What is shown only once is asked about while it is under way.
    if (!isBusy) await untilSaved(cache)
  }
  useEffect(() => whenSigningOut({ lost, finish }))
  useBlocker({
    async shouldBlockFn({ current, next }) {
      if (!holds() || !isElsewhere(current, next, staysBelowPanels)) return false
      if (isBusy || decide.current) return true
      if (isLeaving) return false
      if (isSaving && saving.current) {
        await briefly(saving.current.promise)
        if (!isHere.current || !latest.current()) return false
        if (decide.current) return true
      }
      // Not yet: the Escape that wants to close a panel would answer the question as well.
      setTimeout(asking.open)
      return new Promise<boolean>((resolve) => {
        decide.current = resolve
      })
    },
    enableBeforeUnload: holds,
  })
  const answer = (stays: boolean) => {
    isLeaving = !stays
    decide.current?.(stays)
    // The Escape that closes the question asks the panel below it to close, too. Whoever sees the question
    // gone is asked again.
    setTimeout(() => {
      isLeaving = false
      decide.current = undefined
      asking.close()
    })
  }
  if (!isAsking) return null
  return (
    <ConfirmDialog
      title={t(($) => $.unsaved.title)}
      body={body}
      confirm={t(($) => $.unsaved.leave)}
      cancel={t(($) => $.unsaved.stay)}
      isBusy={false}
      fault={null}
      onConfirm={() => answer(false)}
      onClose={() => answer(true)}
    />
  )
}

/** What is being saved at this moment is unsaved only if that is refused. */
const untilSaved = (cache: QueryClient) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (cache.isMutating() > 0) return
      forget()
      resolve()
    }
    const forget = cache.getMutationCache().subscribe(look)
    look()
  })

interface Location {
  pathname: string
  search: object
}

function isElsewhere(current: Location, next: Location, staysBelowPanels: boolean) {
  const partOf = ({ search }: Location, name: string) => new Map(Object.entries(search)).get(name)
  return (
    current.pathname !== next.pathname ||
    openers.some(
      (name) =>
        !(staysBelowPanels && name === 'panel') && partOf(current, name) !== partOf(next, name),
    )
  )
}
