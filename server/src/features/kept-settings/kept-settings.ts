import type { Config } from '../../config.ts'
import type { AnyContext } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { type AddressPolicy, parseCidrs } from '../../kernel/outbound/index.ts'
import * as queries from './queries.ts'

/** A process that runs tells its settings more often: what is older was told by one that is gone. */
export const toldMsMax = 180_000

/** Unless a process was told otherwise. Undefined: for good. */
const usualDays = {
  WEBHOOK_RETENTION_DAYS: 30,
  MESSAGE_RETENTION_DAYS: undefined,
  AUDIT_RETENTION_DAYS: 400,
}

type RetentionSetting = keyof typeof usualDays

const toldDays = (config: Config): Record<RetentionSetting, number | undefined> => ({
  WEBHOOK_RETENTION_DAYS: config.webhookRetentionDays,
  MESSAGE_RETENTION_DAYS: config.messageRetentionDays,
  AUDIT_RETENTION_DAYS: config.auditRetentionDays,
})

/** A retention time holds for every process: whichever runner drops what is old, it goes by what one was told. */
export function retentionDaysOf<Setting extends RetentionSetting>(
  { config, keptSettings }: Pick<AnyContext, 'config' | 'keptSettings'>,
  setting: Setting,
): number | (typeof usualDays)[Setting] {
  const kept = keptSettings.get(setting)
  return kept === undefined ? (toldDays(config)[setting] ?? usualDays[setting]) : Number(kept)
}

/** An attempt never outlives the event whose payload it shows. */
const eventsExtraDays = 7

/** For how long the events of webhooks are kept at least. */
export const eventDaysOf = (ctx: Pick<AnyContext, 'config' | 'keptSettings'>): number =>
  retentionDaysOf(ctx, 'WEBHOOK_RETENTION_DAYS') + eventsExtraDays

const mailClients = { GOOGLE_CLIENT_ID: 'google', MICROSOFT_CLIENT_ID: 'microsoft' } as const
const clientNames = Object.keys(mailClients) as (keyof typeof mailClients)[]

/** Which one it is: its secret goes to no address but its own. */
const clientText = (clientId: string, tokenUrl: string) => `${clientId} ${tokenUrl}`

/** Whether a process was told this client, with the secret that goes with it. */
export const isKeptClient = (
  { keptSettings }: Pick<AnyContext, 'keptSettings'>,
  { client_id, token_url }: { client_id: string; token_url: string },
): boolean =>
  clientNames.some((name) => keptSettings.get(name) === clientText(client_id, token_url))

/** Clients that another process was told and this one was not. */
export const lackingClients = (
  { keptSettings }: Pick<AnyContext, 'keptSettings'>,
  { told }: Pick<Process, 'told'>,
): string[] => clientNames.filter((name) => keptSettings.has(name) && !told.has(name))

const outboundPolicy = 'OUTBOUND_POLICY'

/**
 * Whom a process may connect to. Where it was not told, no one that another process, which is reached from
 * elsewhere, may not: it delivers for whoever has a key there.
 *
 * @param own by its settings alone
 */
export function outboundOf(
  { config, keptSettings }: Pick<AnyContext, 'config' | 'keptSettings'>,
  own: AddressPolicy,
): AddressPolicy {
  const kept = config.outboundIsGiven ? undefined : keptSettings.get(outboundPolicy)
  if (own.mode === 'public' || kept === undefined) return own
  const [, ...allow] = kept.split(' ')
  return { mode: 'public', allow: parseCidrs(allow.join(' ')) }
}

const policyText = ({ mode, allow }: AddressPolicy) =>
  [mode, ...allow.map(({ text }) => text).toSorted()].join(' ')

/** What a process goes by whatever others were told: it contradicts them, and they need not follow. */
const ownSettings = ({ outbound, outboundIsGiven }: Config) =>
  new Map<string, string>(outboundIsGiven ? [[outboundPolicy, policyText(outbound)]] : [])

/** The listener is of no environment: each API has its own, so nobody contradicts it. */
const listenerName = 'listener'

/** Where the API that was started last listens: links of mails lead there until a process is told where. */
export const listenerOf = ({ keptSettings }: Pick<AnyContext, 'keptSettings'>) =>
  keptSettings.get(listenerName)

export async function keepListener(ctx: AnyContext, url: string): Promise<void> {
  await queries.putSetting(ctx.db, { name: listenerName, value: url, timestamp_told: ctx.now() })
  ctx.keptSettings.set(listenerName, url)
}

/** Most processes of an installation are not told it, and its links have to work for years. */
const trackingUrl = 'TRACKING_URL'
/** Its value that takes away the address that another process was told. */
const noUrl = 'none'

/** Where the links of mails lead, if any process was told. */
export function trackingUrlOf({
  config,
  keptSettings,
}: Pick<AnyContext, 'config' | 'keptSettings'>): string | undefined {
  const url = keptSettings.get(trackingUrl) ?? config.trackingUrl
  return url === null || url === noUrl ? undefined : url
}

/** What this process was told that has to hold for the others as well, by the names of the environment. */
function toldSettings(config: Config, servesApi: boolean): Map<string, string> {
  const told = new Map<string, string>()
  for (const name of clientNames) {
    const client = config.mailClients[mailClients[name]]
    if (client) told.set(name, clientText(client.clientId, client.tokenUrl))
  }
  if (config.trackingUrl !== undefined) told.set(trackingUrl, config.trackingUrl ?? noUrl)
  const { mode } = config.outbound
  // The addresses of a runner by itself are nobody's.
  if (servesApi && mode === 'public') told.set(outboundPolicy, policyText(config.outbound))
  for (const [name, days] of Object.entries(toldDays(config))) {
    if (days !== undefined) told.set(name, String(days))
  }
  return told
}

export interface Process {
  told: Map<string, string>
  own: Map<string, string>
  /** Nobody else works on its database: what others were told was told by processes that are gone. */
  isAlone: boolean
  /**
   * The process serves the API: what it was not told, and no other process that runs, is told no more. A runner
   * by itself may be the one that lacks it.
   */
  servesApi: boolean
}

export const processOf = (config: Config, servesApi: boolean): Process => ({
  ...{ told: toldSettings(config, servesApi), own: ownSettings(config), servesApi },
  isAlone: config.databaseUrl === undefined,
})

/** A setting that this process was told otherwise. */
export interface Contradiction {
  name: string
  told: string | undefined
  other: string
}

/**
 * At the start: what this process was told holds from now on. Another one that was told otherwise says so.
 *
 * @returns where links of mails led until now, where this process was told another address
 */
export async function tellFirst(ctx: AnyContext, process: Process): Promise<string | undefined> {
  await readKept(ctx)
  const replaced = ctx.keptSettings.get(trackingUrl)
  await queries.tellSettings(ctx.db, listsOf(process.told), ctx.now())
  await readSettings(ctx, process, process.isAlone ? ctx.now() : staleBefore(ctx.now()))
  return ctx.keptSettings.get(trackingUrl) === replaced ? undefined : replaced
}

/**
 * Says it again, and takes in what others were told.
 *
 * @returns what another one was told otherwise
 */
export async function compareSettings(ctx: AnyContext, process: Process): Promise<Contradiction[]> {
  const now = ctx.now()
  // Where links lead is told at a start alone: the API may be away for longer than a runner waits for it.
  const again = new Map([...process.told].filter(([name]) => name !== trackingUrl))
  if (again.size > 0) await queries.tellSettings(ctx.db, listsOf(again), now, staleBefore(now))
  const compared = new Map([...process.told, ...process.own])
  const contradicted = contradictionsOf(
    await readSettings(ctx, process, staleBefore(now)),
    compared,
  )
  if (contradicted.length > 0) await queries.saveContradictions(ctx.db, listsOf(compared), now)
  return contradicted
}

/**
 * Without them history may be dropped sooner, which nothing brings back: who was told them may be away for
 * a while. All else is forgotten once nobody tells it.
 */
const keepingHistory = ['WEBHOOK_RETENTION_DAYS', 'AUDIT_RETENTION_DAYS']

async function readSettings(ctx: AnyContext, { told, servesApi }: Process, toldBefore: Date) {
  if (servesApi) {
    const names = [...told.keys(), trackingUrl, listenerName]
    const now = ctx.now()
    await queries.deleteUntold(ctx.db, [...names, ...keepingHistory], toldBefore)
    await queries.deleteUntold(ctx.db, names, new Date(now.getTime() - dayMs))
  }
  return readKept(ctx)
}

/** Takes in what processes were told. A command, which tells nothing, needs no more. */
export async function readKept(ctx: AnyContext): Promise<queries.KeptSetting[]> {
  const kept = await queries.listKeptSettings(ctx.db)
  ctx.keptSettings.clear()
  for (const { name, value } of kept) ctx.keptSettings.set(name, value)
  return kept
}

const contradictionsOf = (
  kept: queries.KeptSetting[],
  told: Map<string, string>,
): Contradiction[] =>
  kept.flatMap(({ name, value }) =>
    told.has(name) && told.get(name) !== value
      ? [{ name, told: told.get(name), other: value }]
      : [],
  )

const staleBefore = (now: Date) => new Date(now.getTime() - toldMsMax)

const listsOf = (told: Map<string, string>) => ({
  names: [...told.keys()],
  values: [...told.values()],
})
