import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The browser reads the texts while it reads the script that will ask for them. */
const preloadTexts: Plugin = {
  name: 'preload-texts',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const texts = Object.keys(bundle).filter((name) => /^assets\/en-.*\.json$/.test(name))
      return texts.map((name) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'fetch', crossorigin: true, href: `/${name}` },
        injectTo: 'head',
      }))
    },
  },
}

/** What only a form needs. */
const formModule = /\/(@mantine\/form|klona|fast-deep-equal|src\/lib\/form\.ts|src\/ui\/Form\.tsx)/

export default defineConfig({
  plugins: [react(), preloadTexts],
  // The server puts a fresh one into each page; Vite repeats the placeholder where it writes tags.
  html: { cspNonce: '%NONCE%' },
  // The policy of the pages allows no file inside another.
  build: {
    ...{ assetsInlineLimit: 0, manifest: true, reportCompressedSize: false },
    // What many pages share is one file, and so are the icons of several. By itself the bundler makes one
    // of each icon and each small function, and the first visit of a page asked for almost a hundred.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /lucide-react/, minShareCount: 3 },
            { name: 'common', test: (id) => !formModule.test(id), minShareCount: 18 },
            // Half of the pages open without one.
            { name: 'forms', test: formModule, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/app': 'http://127.0.0.1:3000', '/health': 'http://127.0.0.1:3000' } },
})
