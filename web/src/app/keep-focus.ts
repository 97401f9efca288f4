/** What lies over the page for a while, and is left for where it was opened from. */
const popups = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
// A time can have the focus too, to be told exactly, and nobody was about to.
const stops =
  'a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex]:not([tabindex^="-"], time)'

/** After whatever component cares for the focus itself, and before a hand is at the next key. */
const waitMs = 30

const isUsable = (element: HTMLElement) =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility()

const findStop = (element: Element): HTMLElement | undefined =>
  [element, ...element.querySelectorAll(stops)].find(
    (each): each is HTMLElement =>
      each instanceof HTMLElement && each.matches(stops) && isUsable(each),
  )

/**
 * Whoever works by keyboard goes on near where they were when what had the focus goes away: in the next
 * row after one is removed, where a dialog was opened from after it is closed, and on a button that was
 * disabled while it worked. The browser itself would begin at the top of the page.
 */
export function keepFocus() {
  let last: HTMLElement | undefined
  const openers = new WeakMap<Element, HTMLElement>()
  const removals = new WeakMap<Node, MutationRecord>()

  /** @param seen keeps two that were removed beside each other from sending each to the other */
  function heirOf(lost: Node, seen = new Set<Node>()): HTMLElement | undefined {
    if (seen.has(lost)) return undefined
    seen.add(lost)
    let top = lost
    for (let at: Node | null = lost; at; at = at.parentNode) {
      const opener = at instanceof Element ? openers.get(at) : undefined
      if (opener) return isUsable(opener) ? opener : heirOf(opener, seen)
      top = at
    }
    const removal = removals.get(top)
    if (!removal || top.isConnected) return undefined
    return rowBeside(top, removal) ?? holderOf(removal.target, seen)
  }

  /** Only of the same kind: a button of something else must not be pressed by the same key. */
  function rowBeside(row: Node, { nextSibling, previousSibling }: MutationRecord) {
    if (!(row instanceof Element)) return undefined
    for (const beside of [nextSibling, previousSibling]) {
      const isAlike = beside instanceof Element && beside.tagName === row.tagName
      const stop = isAlike && beside.className === row.className && findStop(beside)
      if (stop) return stop
    }
    return undefined
  }

  /** What stands around it and can have the focus, at last the page. */
  function holderOf(parent: Node, seen: Set<Node>): HTMLElement | undefined {
    if (!parent.isConnected) return heirOf(parent, seen)
    const holder = parent instanceof Element ? parent.closest<HTMLElement>('[tabindex]') : null
    return holder ?? document.querySelector<HTMLElement>('main') ?? undefined
  }

  function restore() {
    if (!last || document.activeElement !== document.body) return
    const heir = last.isConnected ? last : heirOf(last)
    heir?.focus({ preventScroll: true })
  }

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const popup = target.closest(popups)
    // Back from a menu of its own, a dialog was opened where it was before.
    const before = last?.closest(popups)
    const isBack = before && popup?.contains(openers.get(before) ?? null)
    if (popup && last && !popup.contains(last) && !isBack) openers.set(popup, last)
    last = target
  })
  document.addEventListener('focusout', ({ target }) => {
    // Whoever leaves by a click beside everything wants no focus.
    queueMicrotask(() => {
      const isLeft = document.activeElement === document.body
      if (isLeft && target === last && last && isUsable(last)) last = undefined
    })
  })
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.removedNodes) removals.set(node, record)
    }
    if (last && document.activeElement === document.body) setTimeout(restore, waitMs)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
}
