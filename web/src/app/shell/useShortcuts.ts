import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isAtLeast } from '../../features/users/index.ts'
import { isTyping, sequenceMs } from '../../lib/keyboard.ts'
import { navItems } from './nav-items.ts'
import { openPalette } from './openPalette.ts'
import { useShownWorkspace } from './useShownWorkspace.ts'

/** `g` and then the letter of a page, ⌘K or Ctrl K for the palette, `?` for the list of all. */
export function useShortcuts({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const navigate = useNavigate()
  const workspace = useShownWorkspace()
  useEffect(() => {
    let pressedAtMs = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        void openPalette()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      // Where it lies, and whether with shift, differs between keyboards.
      if (event.key === '?') onShowShortcuts()
      const isSecond = event.timeStamp - pressedAtMs < sequenceMs
      pressedAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (!isSecond) return
      if (event.key === 'u') void navigate({ to: '/account' })
      const item = navItems.find(({ letter }) => letter === event.key)
      if (!item || !workspace || !isAtLeast(workspace.role, item.least)) return
      void navigate({ to: item.to, params: { handle: workspace.handle } })
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [navigate, workspace, onShowShortcuts])
}
