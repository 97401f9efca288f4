import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // The server puts a fresh one into each page; Vite repeats the placeholder where it writes tags.
  html: { cspNonce: '%NONCE%' },
  // The policy of the pages allows no file inside another.
  build: { assetsInlineLimit: 0, manifest: true, reportCompressedSize: false },
  server: { proxy: { '/app': 'http://127.0.0.1:3000', '/health': 'http://127.0.0.1:3000' } },
})
