import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const schemes: MantineColorScheme[] = ['auto', 'light', 'dark']

/** Kept in this browser, so that another screen can have another. */
export function ColorScheme() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      aria-label={t(($) => $.account.appearance)}
      value={colorScheme}
      // Its colours change as well: in between they could not be read.
      transitionDuration={0}
      onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      data={schemes.map((value) => ({ value, label: t(($) => $.account.schemes[value]) }))}
    />
  )
}
