import { type Cidr, parseCidr } from './cidr.ts'

/** A range nobody may be reached in, and the document that reserves it. */
export interface SpecialRange {
  cidr: Cidr
  source: string
}

/** Refused under every policy; OUTBOUND_ALLOW does not open them. */
export const alwaysRefused: SpecialRange[] = [
  range('169.254.0.0/16', 'RFC 3927 link-local; metadata of AWS, Google, Azure, Oracle and others'),
  range('fe80::/10', 'RFC 4291 link-local'),
  range('fd00:ec2::254/128', 'AWS metadata over IPv6'),
  range('fd00:ec2::23/128', 'AWS EKS pod credentials over IPv6'),
  range('fd20:ce::254/128', 'Google metadata over IPv6'),
  range('100.100.100.200/32', 'Alibaba metadata'),
  range('168.63.129.16/32', 'Azure platform'),
  range('192.0.0.192/32', 'Oracle Classic metadata'),
]

export const loopback: SpecialRange[] = [
  range('127.0.0.0/8', 'RFC 1122 loopback'),
  range('::1/128', 'RFC 4291 loopback'),
]

/** IANA IPv4 special-purpose address registry (RFC 6890), and multicast. */
export const ipv4Special: SpecialRange[] = [
  range('0.0.0.0/8', 'RFC 791 this network'),
  range('10.0.0.0/8', 'RFC 1918 private'),
  range('100.64.0.0/10', 'RFC 6598 shared address space'),
  range('127.0.0.0/8', 'RFC 1122 loopback'),
  range('169.254.0.0/16', 'RFC 3927 link-local'),
  range('172.16.0.0/12', 'RFC 1918 private'),
  range('192.0.0.0/24', 'RFC 6890 IETF protocol assignments'),
  range('192.0.2.0/24', 'RFC 5737 documentation TEST-NET-1'),
  range('192.31.196.0/24', 'RFC 7535 AS112-v4'),
  range('192.52.193.0/24', 'RFC 7450 AMT'),
  range('192.88.99.0/24', 'RFC 7526 deprecated 6to4 relay anycast'),
  range('192.168.0.0/16', 'RFC 1918 private'),
  range('192.175.48.0/24', 'RFC 7534 AS112 direct delegation'),
  range('198.18.0.0/15', 'RFC 2544 benchmarking'),
  range('198.51.100.0/24', 'RFC 5737 documentation TEST-NET-2'),
  range('203.0.113.0/24', 'RFC 5737 documentation TEST-NET-3'),
  range('224.0.0.0/4', 'RFC 5771 multicast'),
  range('240.0.0.0/4', 'RFC 1112 reserved, with RFC 919 limited broadcast'),
]

/** Global unicast (RFC 4291 §2.4): everything outside is refused, NAT64 and local ranges too. */
export const ipv6Global: Cidr = parseCidr('2000::/3')

/** IANA IPv6 special-purpose address registry, as far as it lies inside 2000::/3. */
export const ipv6Special: SpecialRange[] = [
  range('2001::/23', 'RFC 2928 IETF protocol assignments: Teredo, benchmarking, AMT, ORCHID, DRIP'),
  range('2001:db8::/32', 'RFC 3849 documentation'),
  range('2002::/16', 'RFC 3056 6to4'),
  range('2620:4f:8000::/48', 'RFC 7534 AS112 direct delegation'),
  range('3fff::/20', 'RFC 9637 documentation'),
]

/** Ranges whose addresses carry an IPv4 address that a gateway would connect to, from this byte. */
export const ipv4Embedded: { cidr: Cidr; offset: number }[] = [
  { cidr: parseCidr('::ffff:0:0:0/96'), offset: 12 }, // RFC 2765 IPv4-translated
  { cidr: parseCidr('64:ff9b::/96'), offset: 12 }, // RFC 6052 NAT64
  { cidr: parseCidr('64:ff9b:1::/48'), offset: 12 }, // RFC 8215 local NAT64, with a /96
  { cidr: parseCidr('2002::/16'), offset: 2 }, // RFC 3056 6to4
]

function range(cidr: string, source: string): SpecialRange {
  return { cidr: parseCidr(cidr), source }
}
