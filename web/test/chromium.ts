import { existsSync } from 'node:fs'

/** Debian's package. */
export const chromiumPath = '/usr/bin/chromium'
export const hasChromium = existsSync(chromiumPath)
