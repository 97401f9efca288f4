import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './app/tokens.css'
import { createRoot } from 'react-dom/client'
import { setUpClient } from './api/client.ts'
import { App } from './app/App.tsx'
import { setUpTexts } from './texts/texts.ts'

setUpClient()
const root = document.getElementById('root')
// Not awaited: the build would cut everything into many small files.
if (root) void setUpTexts().then(() => createRoot(root).render(<App />))
// Nobody is anywhere yet.
void import('./app/keep-focus.ts').then(({ keepFocus }) => keepFocus())
