import { existsSync } from 'node:fs'

/** Debian's packages: the browser, and its engine without windows, which costs less. */
const browser = '/usr/bin/chromium'
const shell = '/usr/bin/chromium-headless-shell'

/** What measures takes the browser that people have. */
export const browserPath = browser
export const chromiumPath = existsSync(shell) ? shell : browser
export const hasChromium = existsSync(chromiumPath)
