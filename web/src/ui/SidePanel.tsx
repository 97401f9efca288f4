import { CloseButton, Title } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './SidePanel.module.css'

interface SidePanelProps {
  title: ReactNode
  /** Below the title: a state, a date. */
  lead?: ReactNode
  /** In the head, before the button that closes. */
  actions?: ReactNode
  /** Takes it out of the address, where whoever shows it has it. */
  onClose: () => void
  children: ReactNode
}

/**
 * One record beside the list that it was picked from, which stays in use. It is shown by the address,
 * so that Back closes it, as Escape does.
 */
export function SidePanel({ title, lead, actions, onClose, children }: SidePanelProps) {
  const { t } = useTranslation()
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const closeOnEscape = useEffectEvent((event: KeyboardEvent) => {
    // A dialog or a menu over the panel closes first.
    const isTaken = event.target instanceof Element && event.target.closest('[role=menu]')
    const isBelow = document.querySelector('[aria-modal=true]') !== null
    if (event.key === 'Escape' && !event.defaultPrevented && !isTaken && !isBelow) onClose()
  })
  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus()
    const listen = (event: KeyboardEvent) => closeOnEscape(event)
    document.addEventListener('keydown', listen)
    return () => {
      document.removeEventListener('keydown', listen)
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <div ref={panel} role="dialog" aria-labelledby={id} tabIndex={-1} className={classes.panel}>
      <div className={classes.head}>
        <div className={classes.title}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {lead}
        </div>
        {actions}
        <CloseButton aria-label={t(($) => $.common.close)} onClick={onClose} />
      </div>
      <div className={classes.body}>{children}</div>
    </div>
  )
}
