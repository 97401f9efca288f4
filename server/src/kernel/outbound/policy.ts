import { isIP } from 'node:net'
import { type Cidr, contains, parseAddress } from './cidr.ts'
import type { LookupFn } from './lookup.ts'
import {
  alwaysRefused,
  ipv4Embedded,
  ipv4Special,
  ipv6Global,
  ipv6Special,
  loopback,
  type SpecialRange,
} from './ranges.ts'

/**
 * Whom this process may connect to. `public`: only public unicast, and what `allow` lists.
 * `any`: loopback and private too. Link-local and metadata addresses are refused in both.
 */
export interface AddressPolicy {
  mode: 'public' | 'any'
  allow: Cidr[]
}

/** May this address be connected to? False for anything that is not a plain IP address. */
export function judgeAddress(policy: AddressPolicy, ip: string): boolean {
  const address = parseAddress(ip)
  if (address === null || isAlwaysRefused(address)) return false
  if (policy.mode === 'any') return true
  if (policy.allow.some((cidr) => contains(cidr, address))) return true
  if (address.length === 4) return !inAny(ipv4Special, address)
  return contains(ipv6Global, address) && !inAny(ipv6Special, address)
}

/** The address a URL names by itself, without IPv6 brackets; undefined for a host name. */
export function findLiteral(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(host) === 0 ? undefined : host
}

/** A loopback address or a name that always means one (RFC 6761 §6.3). */
export function isLoopback(hostname: string): boolean {
  const literal = findLiteral(hostname)
  if (literal === undefined) return /^(.+\.)?localhost\.?$/i.test(hostname)
  const address = parseAddress(literal)
  return address !== null && inAny(loopback, address)
}

/**
 * Whether a host may be one that everybody reaches: a public address, or a name of the public DNS.
 * The name is not looked up.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = findLiteral(hostname)
  if (literal !== undefined) return judgeAddress({ mode: 'public', allow: [] }, literal)
  return hostname.includes('.') && !localName.test(hostname)
}

/** RFC 6761, RFC 6762, RFC 8375, and what ICANN and home routers keep for inside. */
const localName = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test|invalid)\.?$/i

const budgetMaxMs = 1_000

/**
 * Early answer for a form: `refused` when the URL is a refused literal or every address found
 * is refused. Only advice: the sender judges again, each address it connects to.
 */
export async function judgeTarget(
  policy: AddressPolicy,
  lookup: LookupFn,
  url: URL,
  budgetMs: number,
): Promise<'allowed' | 'refused' | 'unresolved'> {
  const literal = findLiteral(url.hostname)
  if (literal !== undefined) return judgeAddress(policy, literal) ? 'allowed' : 'refused'
  const addresses = await lookupWithin(lookup, url.hostname, Math.min(budgetMs, budgetMaxMs))
  if (addresses.length === 0) return 'unresolved'
  return addresses.some((address) => judgeAddress(policy, address)) ? 'allowed' : 'refused'
}

async function lookupWithin(lookup: LookupFn, hostname: string, budgetMs: number) {
  const { promise: late, resolve } = Promise.withResolvers<string[]>()
  const timer = setTimeout(resolve, budgetMs, [])
  try {
    return await Promise.race([lookup(hostname), late])
  } catch {
    return []
  } finally {
    clearTimeout(timer)
  }
}

function isAlwaysRefused(address: number[]): boolean {
  if (inAny(alwaysRefused, address)) return true
  return ipv4Embedded.some(
    ({ cidr, offset }) =>
      contains(cidr, address) && inAny(alwaysRefused, address.slice(offset, offset + 4)),
  )
}

function inAny(ranges: SpecialRange[], address: number[]): boolean {
  return ranges.some(({ cidr }) => contains(cidr, address))
}
