import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** One accent, for what can be pressed; everything with a meaning has a tone of its own (tokens.css). */
const ink: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffe',
  '#b9befb',
  '#949bf6',
  '#747cf0',
  '#5c63e6',
  '#4c51c6',
  '#3f43b0',
  '#34378f',
  '#292b70',
]

/** As dark as white text on it needs; Mantine's own has a contrast of 3.8. */
const red: MantineColorsTuple = [
  '#fdeced',
  '#f9d6d8',
  '#f0abaf',
  '#e77d84',
  '#df565f',
  '#d83e48',
  '#c92f39',
  '#b4232c',
  '#961a22',
  '#7a131a',
]

/** Dark grounds with a touch of blue, from text (0) over borders (4) and fields (6) to the page (7). */
const dark: MantineColorsTuple = [
  '#e6e8ec',
  '#b6bdc9',
  '#9aa2b1',
  '#6b7382',
  '#363b46',
  '#2a2e37',
  '#1b1e25',
  '#14161b',
  '#101217',
  '#0b0d10',
]

/** @param words what components say by themselves */
export const themeOf = (words: { close: string; showPassword: string }) => {
  // The head of a dialog is not that of the page.
  const attributes = { header: { role: 'none' } }
  const closeButtonProps = { 'aria-label': words.close }
  // Nothing of one line is longer. With a whole document in it, pasted by mistake, a page stands still,
  // and as a search it is an address that no server takes.
  const maxLength = 1000
  const oneLine = { defaultProps: { maxLength } }
  // A list that is pasted goes in as one text, and is parted then.
  const aList = { defaultProps: { maxLength: 5000 } }
  return createTheme({
    colors: { ink, red, dark },
    primaryColor: 'ink',
    primaryShade: { light: 7, dark: 6 },
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontFamilyMonospace: "ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace",
    fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '1.25rem', lineHeight: '1.35' },
        h2: { fontSize: '1rem', lineHeight: '1.4' },
        h3: { fontSize: '0.875rem', lineHeight: '1.45' },
      },
    },
    spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
    radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '14px' },
    defaultRadius: 'sm',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Modal: { defaultProps: { centered: true, closeButtonProps, attributes } },
      Drawer: {
        defaultProps: {
          ...{ position: 'right', closeButtonProps, attributes },
          // It holds a form: a click beside it does not throw away what is typed.
          closeOnClickOutside: false,
        },
      },
      // It is neither an item nor hidden from who hears the menu; the first item gets the focus.
      Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
      Notification: { defaultProps: { closeButtonProps } },
      ...{ TextInput: oneLine, Select: oneLine, MultiSelect: oneLine, TagsInput: aList },
      Autocomplete: oneLine,
      PasswordInput: {
        defaultProps: {
          maxLength,
          visibilityToggleButtonProps: { 'aria-label': words.showPassword },
        },
      },
    },
  })
}
