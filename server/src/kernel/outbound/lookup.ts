import { lookup as askSystem, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Every address of a host name, in the order to try them. Rejects when there is none. */
export type LookupFn = (hostname: string) => Promise<string[]>

/** RFC 8305 §3 waits a little for the other family; some name servers never answer AAAA. */
const lateFamilyMs = 250

/**
 * Host names through DNS queries of our own, not getaddrinfo: that runs on a few threads of the
 * process, so name servers that never answer would hold up every other receiver's connections.
 * `localhost`, the hosts file, single-label and `.local` names stay with the system.
 */
export function createLookup(
  // A new resolver each time follows a changed resolv.conf and costs 20 µs.
  makeResolver: () => Resolver = () => new Resolver({ timeout: 1_500, tries: 2 }),
): LookupFn {
  const hosts = readHostsFile()
  return async (hostname) => {
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
    // RFC 6761 §6.3: always loopback, whatever a name server says.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const known = hosts.get(name)
    if (known !== undefined) return known
    if (name.includes('.') && !name.endsWith('.local')) return await query(makeResolver(), name)
    return (await askSystem(name, { all: true })).map(({ address }) => address)
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

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}
