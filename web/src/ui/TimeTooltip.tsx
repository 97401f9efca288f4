import { useEffect, useReducer, useState } from 'react'
import classes from './TimeTooltip.module.css'

/** Shows the exact time of a `<time>` that is tapped or has the focus, which a mouse reads by hovering. */
export function TimeTooltip() {
  const [time, setTime] = useState<Element | null>()
  const [, follow] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const hide = () => setTime(null)
    document.addEventListener('click', ({ target }) => setTime(timeAt(target)), { signal })
    document.addEventListener('focusin', ({ target }) => setTime(timeOfFocus(target)), { signal })
    document.addEventListener('focusout', hide, { signal })
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), { signal })
    // Also of a part of the page, as when what got the focus comes into view.
    document.addEventListener('scroll', follow, { capture: true, signal })
    return () => ending.abort()
  }, [])
  if (!time?.isConnected) return null
  const { left, right, top, bottom } = time.getBoundingClientRect()
  // Towards the middle of the window, where there is room.
  const isLate = left + right > innerWidth
  const isLow = top + bottom > innerHeight
  const style = {
    ...(isLate ? { right: innerWidth - right } : { left }),
    ...(isLow ? { bottom: innerHeight - top } : { top: bottom }),
  }
  return (
    <div role="tooltip" className={classes.label} style={style}>
      {time.getAttribute('title')}
    </div>
  )
}

const withTitle = 'time[title]'

const timeAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest(withTitle) : null

/** Its own, else the first in sight of the button or row that has the focus in it. */
function timeOfFocus(target: EventTarget | null) {
  if (!(target instanceof Element) || !target.matches(':focus-visible')) return null
  const around = ['time', 'a, button', 'tr, li, [role=row]'].map((each) => target.closest(each))
  return around
    .flatMap((each) =>
      each?.matches(withTitle) ? each : [...(each?.querySelectorAll(withTitle) ?? [])],
    )
    .find((each) => each.checkVisibility())
}
