import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterContextProvider, RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { personalCache } from '../api/caches.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { styleNonce } from '../lib/nonce.ts'
import { router } from './router.tsx'
import { themeOf } from './theme.ts'

// What Mantine's dialogs lock the scrolling with writes a <style> of its own, and asks here.
setNonce(styleNonce())

// Nothing is told before somebody does something.
const Notices = lazyPart(() => import('./Notices.tsx'), 'Notices')

// As public/color-scheme.js reads it.
const schemes = localStorageColorSchemeManager({ key: 'outrider-color-scheme' })

export function App() {
  const { t } = useTranslation()
  const theme = useMemo(
    () =>
      themeOf({ close: t(($) => $.common.close), showPassword: t(($) => $.common.showPassword) }),
    [t],
  )
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={schemes}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={personalCache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
      <Suspense>
        {/* A notice may lead somewhere. */}
        <RouterContextProvider router={router}>
          <Notices />
        </RouterContextProvider>
      </Suspense>
    </MantineProvider>
  )
}
