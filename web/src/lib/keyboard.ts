/** As the keyboard in front of the reader has it printed. */
export const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl '

/** How long after `g` the next letter still belongs to it. */
export const sequenceMs = 1500

/** Somebody types, or a dialog or a menu has the keyboard. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]') !== null
