import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, environment, readConfig } from '../config.ts'
import { replaceFile } from '../kernel/files.ts'

/** What a service runs with, in its DATA_DIR, for commands that are run from another shell. */
interface ServiceSettings {
  /** When it started. */
  timestamp: string
  /** As they stood in its environment. */
  settings: Record<string, string>
  /** Names of those whose values are not here: secrets, and what is of use with them alone. */
  secrets: string[]
}

const plain = [
  ...['HOST', 'PORT', 'BASE_URL', 'API_URL', 'TRACKING_URL', 'OUTBOUND_POLICY', 'OUTBOUND_ALLOW'],
  ...['DATABASE_PREPARED', 'DATABASE_CONNECTIONS', 'IMAP_CONNECTIONS', 'RUNNER_PORT', 'LEASE_MS'],
  ...['LOG_LEVEL', 'WEBHOOK_RETRY_SCHEDULE', 'WEBHOOK_RETENTION_DAYS', 'MESSAGE_RETENTION_DAYS'],
  ...['AUDIT_RETENTION_DAYS', 'TRUSTED_PROXIES'],
]
/** Without these a command would work on another database, or open nothing in it. */
const secret = [
  ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_SHARDS', 'DATABASE_DIRECT_SHARDS'],
  'OUTRIDER_SECRET_KEY',
]

/** Which of them this process has; a shell needs the same. */
export const listSecrets = () => secret.filter((name) => environment[name])
/** Without these a command would not be let into mailboxes that the service is let into. */
const mailClients = [
  ...['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
  'MICROSOFT_TENANT',
]

const fileOf = (dataDir: string) => join(dataDir, 'server.json')

export async function writeServiceSettings(
  dataDir: string,
  now: Date,
  env: NodeJS.ProcessEnv = environment,
): Promise<void> {
  const settings: ServiceSettings = {
    timestamp: now.toISOString(),
    settings: Object.fromEntries(plain.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    secrets: [...secret, ...mailClients].filter((name) => env[name]),
  }
  // With a database and a secret key of the operator's nothing has needed it before.
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  await replaceFile(fileOf(dataDir), `${JSON.stringify(settings, null, 2)}\n`)
}

/** Whose settings a command goes by. */
export interface CommandSettings {
  config: Config
  /** When the service of DATA_DIR started; undefined: none has, and the environment alone counts. */
  startedAt: string | undefined
  /** Names of settings that the environment of this command has, and the service has not so. */
  overridden: string[]
}

/**
 * The settings of the service of DATA_DIR; what this environment sets itself counts more.
 *
 * @throws one sentence that names what the service has and this environment lacks
 */
export function readCommandSettings(env: NodeJS.ProcessEnv = environment): CommandSettings {
  const own = readConfig(env)
  const service = find(own.dataDir)
  if (!service) return { config: own, startedAt: undefined, overridden: [] }
  requireAll(secret, own.dataDir, env)
  return {
    config: readConfig({ ...service.settings, ...withoutEmpty(env) }),
    startedAt: service.timestamp,
    overridden: [
      ...plain.filter((name) => env[name] && env[name] !== service.settings[name]),
      // Whether both have the same is not known here, since no secret is written down.
      ...secret.filter((name) => env[name] && !service.secrets.includes(name)),
    ],
  }
}

/**
 * For a command that logs in to mailboxes: a provider that refuses its client says nothing of them.
 *
 * @throws one sentence that names what the service has and this environment lacks
 */
export const requireMailClients = (dataDir: string, env: NodeJS.ProcessEnv = environment): void =>
  requireAll(mailClients, dataDir, env)

function requireAll(names: string[], dataDir: string, env: NodeJS.ProcessEnv) {
  const lacking = find(dataDir)?.secrets.filter((name) => names.includes(name) && !env[name]) ?? []
  if (lacking.length === 0) return
  const [are, them] = lacking.length === 1 ? ['is', 'it to the same value'] : ['are', 'them alike']
  throw new Error(
    `The service of DATA_DIR ${dataDir} runs with ${lacking.join(' and ')}, which ${are} not set here: set ${them}.`,
  )
}

/**
 * A service whose settings did not reach it this time must not begin anew, on a database of its own.
 *
 * @throws one sentence, where the last service of DATA_DIR had its database by DATABASE_URL
 */
export function requireNoOtherDatabase(dataDir: string): void {
  if (!find(dataDir)?.secrets.includes('DATABASE_URL')) return
  throw new Error(
    `The service of DATA_DIR ${dataDir} ran with DATABASE_URL, which is not set now: set it to the same value, or remove ${fileOf(dataDir)} to start on a database in DATA_DIR.`,
  )
}

/** A file of somebody else's, or a damaged one, tells nothing. */
function find(dataDir: string): ServiceSettings | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as ServiceSettings
  } catch {
    return undefined
  }
}

const withoutEmpty = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value))
