import { Button, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { whenSigningOut } from '../api/sign-out.ts'

interface ShownOnceProps {
  /** What somebody says who has it, on the button. */
  done: string
  onDone: () => void
  children: ReactNode
}

/**
 * A secret that is on no other page: only its button ends it. A panel that is in the address stays when
 * somebody presses Escape or Back, and says why; the browser asks before it leaves the page. A dialog
 * that is not in the address takes no other way out by itself. Whoever signs out is asked first.
 */
export function ShownOnce({ done, onDone, children }: ShownOnceProps) {
  const { t } = useTranslation()
  const isDone = useRef(false)
  const [isReminded, setReminded] = useState(false)
  const lost = () => (isDone.current ? undefined : t(($) => $.shownOnce.leaving))
  useEffect(() => whenSigningOut({ lost }))
  useBlocker({
    shouldBlockFn: () => {
      if (!isDone.current) setReminded(true)
      return !isDone.current
    },
    enableBeforeUnload: () => !isDone.current,
  })
  return (
    <Stack>
      {children}
      {isReminded && (
        <Text role="alert" size="sm" c="var(--amber-text)">
          {t(($) => $.shownOnce.first, { done })}
        </Text>
      )}
      <Button
        onClick={() => {
          isDone.current = true
          onDone()
        }}
      >
        {done}
      </Button>
    </Stack>
  )
}
