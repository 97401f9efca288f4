/** As the keyboard in front of the reader has it printed. */
export const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl '
