import { lookup as askSystem, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { saysNone } from './failure.ts'

/** Every address of a host name, in the order to try them. Rejects when there is none. */
export type LookupFn = (hostname: string) => Promise<string[]>

/** A new one each time follows a changed resolv.conf and costs 20 µs. */
export const newResolver = () => new Resolver({ timeout: 1_500, tries: 2 })

/** RFC 8305 §3 waits a little for the other family; some name servers never answer AAAA. */
const lateFamilyMs = 250

/**
 * Host names through DNS queries of our own, not getaddrinfo: that runs on a few threads of the
 * process, so name servers that never answer would hold up every other receiver's connections.
 * `localhost`, the hosts file, single-label and `.local` names stay with the system. What does not exist
 * is completed by the search list, as the system does: `crm.tools` may be a service of a cluster. It is
 * asked for as it stands first, so that a public name costs one question.
 */
export function createLookup(
  makeResolver = newResolver,
  searchList: () => string[] = readSearchList,
): LookupFn {
  const hosts = readHostsFile()
  return async (hostname) => {
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
    // RFC 6761 §6.3: always loopback, whatever a name server says.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const known = hosts.get(name)
    if (known !== undefined) return known
    if (name.includes('.') && !name.endsWith('.local')) {
      const ask = (each: string) => query(makeResolver(), each)
      return name === hostname ? await askCompleted(ask, name, searchList) : await ask(name)
    }
    return (await askSystem(name, { all: true })).map(({ address }) => address)
  }
}

async function askCompleted(ask: LookupFn, name: string, searchList: () => string[]) {
  try {
    return await ask(name)
  } catch (error) {
    if (!(error instanceof AggregateError) || !error.errors.every(saysNone)) throw error
    for (const suffix of searchList()) {
      const found = await ask(`${name}.${suffix}`).catch(() => undefined)
      if (found) return found
    }
    throw error
  }
}

/** IPv4 first: a machine with broken IPv6 then loses no time, and IPv6 is still tried. */
async function query(resolver: Resolver, name: string): Promise<string[]> {
  const found: string[] = []
  const ipv4 = resolver.resolve4(name).then((addresses) => found.unshift(...addresses))
  const ipv6 = resolver.resolve6(name).then((addresses) => found.push(...addresses))
  const both = Promise.allSettled([ipv4, ipv6])
  await Promise.any([ipv4, ipv6])
  await Promise.race([both, pause(lateFamilyMs, undefined, { ref: false })])
  return [...found]
}

function readHostsFile(): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  const path =
    process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
  for (const line of readLines(path)) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), address ?? ''])
  }
  return hosts
}

/** The last line counts (resolv.conf(5)); read each time, since it may change as the name servers do. */
function readSearchList(): string[] {
  const lines = readLines('/etc/resolv.conf').map((line) => line.trim().split(/\s+/))
  const [, ...suffixes] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? []
  return suffixes.map((suffix) => suffix.replace(/\.$/, '')).filter((suffix) => suffix !== '')
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}
