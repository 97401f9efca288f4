import { resolve } from 'node:path'
import { setUpPath } from '../features/sign-in/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { listSecrets } from './service-settings.ts'

/** Tells a person where to go next; logs stay a stream of JSON where nobody watches. */
export async function announce(ctx: ProcessContext, address: string | undefined): Promise<void> {
  const { config } = ctx
  const path = await setUpPath(ctx)
  const secrets = listSecrets()
  const lines = [
    ['Address', `${address}`],
    ...(path ? [['Set up', `${config.port === 0 ? address : config.baseUrl}${path}`]] : []),
    ['Documentation', `${address}/docs`],
    ['DATA_DIR', config.dataDir],
    [
      'First key',
      `${settings(config.dataDir)}npx outrider keys create --name first --scopes 'all:*'`,
    ],
    ...(secrets.length > 0 ? [['', `in a shell that has the same ${secrets.join(', ')}`]] : []),
    ['Stop', 'Ctrl-C'],
  ]
  const text = lines.map(([name = '', value]) => `  ${name.padEnd(15)}${value}`).join('\n')
  const terminal = process.stdout.isTTY ? process.stdout : process.stderr
  const troubles = ctx.troubles?.sentences ?? []
  const state = troubles.length === 0 ? 'is running.' : 'is running, but it is not healthy:'
  const parts = [
    `Outrider ${config.version} ${state}`,
    ...troubles.map((line) => `  ${line}`),
    text,
  ]
  terminal.write(`\n${parts.join('\n\n')}\n\n`)
}

/** A command beside this server needs the same DATA_DIR. */
const settings = (dataDir: string) =>
  dataDir === resolve('./data') ? '' : `DATA_DIR='${dataDir.replaceAll("'", `'\\''`)}' `
