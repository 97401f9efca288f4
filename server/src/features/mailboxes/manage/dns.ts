import type { Context } from '../../../kernel/context.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { isPublicHost } from '../../../kernel/outbound/index.ts'
import { canCarryLinks, findLinkUrl, linkAddressRemedy } from '../../link-address/index.ts'
import { checkMailDomain, type DomainFinding } from '../domain-check.ts'
import { getManagedMailbox } from './managed-mailboxes.ts'
import { type DnsRecord, findPreset, type Preset, usualPreset } from './presets.ts'
import type { ManagedMailbox } from './schema.ts'

export interface DnsFinding extends Omit<DomainFinding, 'record'> {
  record: DomainFinding['record'] | 'tracking'
  /** To add where it is missing. */
  records: DnsRecord[]
}

/** What the domain of a mailbox says to receivers, with the records that it lacks. */
export async function checkMailboxDns(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<{ domain: string; findings: DnsFinding[] }> {
  const mailbox = await getManagedMailbox(ctx, workspaceId, id)
  const domain = parseEmail(mailbox.address)?.domain ?? ''
  const [findings, preset, tracking] = await Promise.all([
    checkMailDomain(ctx, domain),
    findProvider(ctx, mailbox, domain),
    checkTracking(ctx, mailbox, domain),
  ])
  const completed = findings.map((finding) => complete(ctx, finding, domain, preset))
  return { domain, findings: [...(await Promise.all(completed)), tracking] }
}

/** By the server that it sends by; a provider has several for its customers, which the MX tells apart. */
async function findProvider(ctx: Context, { provider, smtp }: ManagedMailbox, domain: string) {
  if (provider === 'other') return undefined
  const servers = await ctx.lookupMail(domain).catch(() => [])
  const found = findPreset(servers)
  return found?.provider === provider ? found.preset : usualPreset(provider, smtp.host)
}

async function complete(
  ctx: Context,
  finding: DomainFinding,
  domain: string,
  preset: Preset | undefined,
): Promise<DnsFinding> {
  const plain = { ...finding, records: [] }
  if (finding.record === 'SPF') return (await completeSpf(ctx, finding, domain, preset)) ?? plain
  if (finding.status === 'ok') return plain
  if (finding.record === 'DKIM') return { ...plain, records: preset?.dkim?.(domain) ?? [] }
  const value = 'v=DMARC1; p=none'
  return { ...plain, records: [{ type: 'TXT', name: `_dmarc.${domain}`, value }] }
}

async function completeSpf(
  ctx: Context,
  finding: DomainFinding,
  domain: string,
  preset: Preset | undefined,
): Promise<DnsFinding | undefined> {
  if (!preset) return undefined
  const texts = await ctx.lookupText(domain).catch(() => undefined)
  if (!texts) return undefined
  const found = texts.filter(isSpf)
  const records: DnsRecord[] = [
    { type: 'TXT', name: domain, value: withInclude(found, preset.spf) },
  ]
  if (finding.status === 'warn') return { ...finding, records }
  const isNamed = await includes(ctx, found[0] ?? '', preset.spf, new Set([domain]))
  if (isNamed) return undefined
  return {
    ...finding,
    status: 'warn',
    detail: 'it does not name the provider that the mailbox sends by',
    remedy: 'Put this in place of the TXT record that is there.',
    records,
  }
}

const isSpf = (text: string) => /^v=spf1( |$)/i.test(text)
const lookupsMax = 10

/** Whether a record, or one that it includes, names the host; where nobody answers it is taken for so. */
async function includes(
  ctx: Context,
  record: string,
  host: string,
  seen: Set<string>,
): Promise<boolean> {
  const named = [...record.toLowerCase().matchAll(/\b(?:include:|redirect=)(\S+)/g)]
  for (const [, name = ''] of named) {
    if (name === host) return true
    if (seen.has(name)) continue
    if (seen.size > lookupsMax) return true
    seen.add(name)
    const texts = await ctx.lookupText(name).catch(() => undefined)
    if (!texts || (await includes(ctx, texts.find(isSpf) ?? '', host, seen))) return true
  }
  return false
}

/**
 * One record of all that are there, since with several all are void. What `redirect=` names is included,
 * as behind an `all` it counts for nothing (RFC 7208 §6.1); where there is an `all`, it counted for nothing
 * before. That stays as strict as it was.
 */
function withInclude(records: string[], host: string): string {
  const kept = records.flatMap((record) => {
    const terms = record.split(/\s+/).slice(1)
    const isRedirected = !terms.some((term) => isAll.test(term))
    return terms.flatMap((term) => {
      if (term === '' || isAll.test(term)) return []
      const [, name] = /^redirect=(.+)$/i.exec(term) ?? []
      if (name === undefined) return [term]
      return isRedirected ? [`include:${name}`] : []
    })
  })
  const terms = records.flatMap((record) => record.split(/\s+/))
  const all = terms.find((term) => /^[?~-]all$/i.test(term)) ?? '~all'
  return [...new Set(['v=spf1', ...kept, `include:${host}`, all])].join(' ')
}

const isAll = /^[+?~-]?all$/i

/** One address for the whole installation, and not one of each domain. */
async function checkTracking(
  ctx: Context,
  mailbox: ManagedMailbox,
  domain: string,
): Promise<DnsFinding> {
  const url = findLinkUrl(ctx)
  const record = 'tracking' as const
  if (canCarryLinks(mailbox, url)) {
    return { record, status: 'ok', detail: `lead to ${url}`, remedy: null, records: [] }
  }
  const { hostname } = new URL(ctx.config.baseUrl)
  return {
    ...{ record, status: 'warn', remedy: linkAddressRemedy },
    detail: `${url} reaches no recipient: unsubscribing goes by mail, and nothing is tracked`,
    records: isPublicHost(hostname)
      ? [{ type: 'CNAME', name: `links.${domain}`, value: hostname }]
      : [],
  }
}
