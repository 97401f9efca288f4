import { useEffect, useRef } from 'react'
import { isTyping, modifier, sequenceMs } from '../../lib/keyboard.ts'
import type texts from '../../texts/en.json'

/** What the keys of the inbox do. */
export interface InboxActions {
  move: (step: 1 | -1) => void
  reply: () => void
  done: () => void
  snooze: () => void
  search: () => void
  unread: () => void
  /** @param at of the labels, from 0 */
  label: (at: number) => void
  undo: () => void
  close: () => void
}

/** For the list of all shortcuts. */
export const inboxShortcuts: [keyof typeof texts.inbox.keys, string[]][] = [
  ['move', ['j', 'k']],
  ['reply', ['r']],
  ['send', [`${modifier}⏎`]],
  ['done', ['e']],
  ['snooze', ['s']],
  ['unread', ['u']],
  ['label', ['1', '9']],
  ['undo', ['z']],
  ['search', ['/']],
  ['close', ['Esc']],
]

const walks = new Set(['j', 'k'])

export function useInboxShortcuts(actions: InboxActions) {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    let goPressedAtMs = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      const { key, timeStamp } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTyping(event.target)) return
      // The letter after `g` belongs to the shell, which goes to the page of it.
      const goes = timeStamp - goPressedAtMs < sequenceMs
      goPressedAtMs = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY
      if (goes) return
      const run = actionOf(key, latest.current)
      if (!run) return
      event.preventDefault()
      // A key that is held down goes on through the list, and does nothing else again and again.
      if (event.repeat && !walks.has(key)) return
      run()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function actionOf(key: string, actions: InboxActions): (() => void) | undefined {
  if (/^[1-9]$/.test(key)) return () => actions.label(Number(key) - 1)
  const byKey: Record<string, () => void> = {
    j: () => actions.move(1),
    k: () => actions.move(-1),
    r: actions.reply,
    e: actions.done,
    s: actions.snooze,
    u: actions.unread,
    z: actions.undo,
    '/': actions.search,
    Escape: actions.close,
  }
  return byKey[key]
}
