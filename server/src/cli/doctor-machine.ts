import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { examineRedis } from '../kernel/http/rate-limit.ts'
import { isLoopback } from '../kernel/outbound/index.ts'
import { keyFile } from '../kernel/secret-key.ts'
import { type Finding, fine, found } from './finding.ts'

const nodeVersionMin = 26

/** What can be seen without a database. */
export async function examineMachine(config: Config): Promise<Finding[]> {
  const redis = config.redisUrl ? [await rateLimit(config.redisUrl)] : []
  return [nodeVersion(), await dataDirectory(config), await freeDisk(config.dataDir), ...redis]
}

async function rateLimit(redisUrl: string): Promise<Finding> {
  const { host, trouble } = await examineRedis(redisUrl)
  if (trouble === undefined) return fine('Redis', host)
  const detail = `${host} cannot be used (${trouble}): each process counts requests for itself`
  return found('Redis', 'warn', detail, 'Start it, or correct REDIS_URL.')
}

function nodeVersion(): Finding {
  const { version } = process
  if (Number(process.versions.node.split('.')[0]) >= nodeVersionMin) return fine('node', version)
  const remedy = 'Start it by npm or npx, which use the Node that npm installed.'
  return found('node', 'fail', `${version} is older than ${nodeVersionMin}`, remedy)
}

async function dataDirectory({ dataDir, databaseUrl }: Config): Promise<Finding> {
  const check = 'DATA_DIR'
  if (!(await exists(dataDir))) {
    if (databaseUrl) return fine(check, `${dataDir} does not exist yet`)
    const remedy = 'Run "npm start" once, or set DATA_DIR to that of the server.'
    return found(check, 'fail', `${dataDir} does not exist`, remedy)
  }
  if (!(await isWritable(dataDir))) {
    const remedy = 'Run as the user who owns it, or set DATA_DIR to another directory.'
    return found(check, 'fail', `${dataDir} cannot be written`, remedy)
  }
  for (const file of [keyFile(dataDir), join(dataDir, 'postgres', 'url')]) {
    const { mode } = await stat(file).catch(() => ({ mode: 0 }))
    if ((mode & 0o077) === 0) continue
    return found(check, 'fail', `${file} can be read by others`, `chmod 600 '${file}'`)
  }
  return fine(check, dataDir)
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const isWritable = (path: string) =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

const bytesLow = 1024 ** 3
const bytesTooLow = 200 * 1024 ** 2

async function freeDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestExisting(dataDir))
  const free = bavail * bsize
  const detail = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  if (free >= bytesLow) return fine('disk', detail)
  const remedy =
    'Make room or enlarge it now: a full disk stops the database. A lower WEBHOOK_RETENTION_DAYS gives room back only as whole days of history are dropped.'
  return found('disk', free < bytesTooLow ? 'fail' : 'warn', detail, remedy)
}

const nearestExisting = async (path: string): Promise<string> =>
  (await exists(path)) || dirname(path) === path ? path : nearestExisting(dirname(path))

/** @param keptUrl where the links of mails lead, as the database has it; undefined: it was not asked */
export function outboundPolicy(
  { outbound, outboundIsGiven, host, baseUrl, apiUrl, trackingUrl }: Config,
  keptUrl?: string,
): Finding {
  const { mode } = outbound
  const hosts = [host, new URL(baseUrl).hostname, new URL(apiUrl).hostname]
  const reachable = hosts.find((name) => !isLoopback(name))
  if (mode === 'public') {
    const other = outboundIsGiven ? undefined : 'another process'
    const elsewhere = reachable ?? other
    const because = elsewhere ? `, as ${elsewhere} is reachable from elsewhere` : ''
    const effect = 'what has no public address is refused unless OUTBOUND_ALLOW lists it'
    return fine('outbound policy', `${mode}${because}: ${effect}`)
  }
  // What a proxy lets in by an address of its own does not change the default.
  const linked = [trackingUrl, keptUrl].find((url) => url && !isLoopback(new URL(url).hostname))
  if (!reachable && !linked) return fine('outbound policy', mode)
  const detail = `webhooks may reach this network, and this service is not only for this machine: it is reachable as ${reachable ?? linked}`
  return found('outbound policy', 'warn', detail, 'Set OUTBOUND_POLICY=public and OUTBOUND_ALLOW.')
}
