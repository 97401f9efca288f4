import type { ServerSettings } from '../schema.ts'

/** Whose servers are known by the mail servers of a domain. */
const known = ['google', 'microsoft', 'zoho', 'fastmail', 'ionos', 'yahoo', 'icloud'] as const

export const providers = [...known, 'other'] as const

export type KnownProvider = (typeof known)[number]
export type Provider = (typeof providers)[number]

export type ServerEndpoint = Pick<ServerSettings, 'host' | 'port' | 'security'>

/** A record that its owner adds where the domain is administered. */
export interface DnsRecord {
  type: 'TXT' | 'CNAME'
  name: string
  value: string
}

export interface Preset {
  smtp: ServerEndpoint
  imap: ServerEndpoint
  /** What an SPF record includes for the provider to send. */
  spf: string
  /** Where the records are the same for every customer; others show theirs in their settings. */
  dkim?: (domain: string) => DnsRecord[]
}

interface Rule {
  provider: KnownProvider
  /** Of the domain's mail servers. */
  mx: RegExp
  /** Of the server that a mailbox sends by. */
  smtp: RegExp
  preset: (mx: string) => Preset
}

const starttls = (host: string): ServerEndpoint => ({ host, port: 587, security: 'starttls' })
const smtps = (host: string): ServerEndpoint => ({ host, port: 465, security: 'tls' })
const imaps = (host: string): ServerEndpoint => ({ host, port: 993, security: 'tls' })
const cname = (name: string, value: string): DnsRecord => ({ type: 'CNAME', name, value })

/** Under a name of its own, which its SPF record has as well. */
const zohoCanada: Preset = {
  ...{ smtp: smtps('smtppro.zohocloud.ca'), imap: imaps('imappro.zohocloud.ca') },
  spf: 'zohocloud.ca',
}

const rules: Rule[] = [
  {
    provider: 'google',
    mx: /(^|\.)google(mail)?\.com$/,
    smtp: /\.g(oogle)?mail\.com$/,
    preset: () => ({
      ...{ smtp: starttls('smtp.gmail.com'), imap: imaps('imap.gmail.com') },
      spf: '_spf.google.com',
    }),
  },
  {
    provider: 'microsoft',
    mx: /\.(protection\.outlook\.com|mx\.microsoft)$/,
    smtp: /(\.|-)(office365|outlook|live)\.com$/,
    preset: (mx) => ({
      // Mailboxes of outlook.com, hotmail.com and live.com send by a server of their own.
      smtp: starttls(mx.includes('.olc.') ? 'smtp-mail.outlook.com' : 'smtp.office365.com'),
      imap: imaps('outlook.office365.com'),
      spf: 'spf.protection.outlook.com',
    }),
  },
  {
    provider: 'zoho',
    mx: /\.zoho(mail|cloud)?\.[a-z.]+$/,
    smtp: /\.zoho(cloud)?\.[a-z.]+$/,
    preset: (mx) => {
      if (/\.zohocloud\.ca$/.test(mx)) return zohoCanada
      const ending = endingOf(mx)
      return {
        ...{ smtp: smtps(`smtppro.zoho.${ending}`), imap: imaps(`imappro.zoho.${ending}`) },
        spf: `zohomail.${ending}`,
      }
    },
  },
  {
    provider: 'fastmail',
    mx: /\.messagingengine\.com$/,
    smtp: /\.(fastmail|messagingengine)\.com$/,
    preset: () => ({
      ...{ smtp: smtps('smtp.fastmail.com'), imap: imaps('imap.fastmail.com') },
      spf: 'spf.messagingengine.com',
      dkim: (domain) =>
        ['fm1', 'fm2', 'fm3'].map((key) =>
          cname(`${key}._domainkey.${domain}`, `${key}.${domain}.dkim.fmhosted.com`),
        ),
    }),
  },
  {
    provider: 'ionos',
    mx: /\.(ionos|1and1|kundenserver|perfora)\.[a-z.]+$/,
    smtp: /\.(ionos|1and1|kundenserver|perfora)\.[a-z.]+$/,
    preset: (mx) => {
      const ending = mx.endsWith('perfora.net') ? 'com' : endingOf(mx)
      return {
        ...{ smtp: starttls(`smtp.ionos.${ending}`), imap: imaps(`imap.ionos.${ending}`) },
        spf: ending === 'com' || ending === 'mx' ? '_spf-us.ionos.com' : '_spf-eu.ionos.com',
        dkim: (domain) =>
          ['s1', 's2'].map((key) =>
            cname(`${key}-ionos._domainkey.${domain}`, `${key}.dkim.ionos.com`),
          ),
      }
    },
  },
  {
    provider: 'yahoo',
    mx: /\.yahoodns\.net$/,
    smtp: /\.yahoo\.[a-z.]+$/,
    preset: () => ({
      ...{ smtp: smtps('smtp.mail.yahoo.com'), imap: imaps('imap.mail.yahoo.com') },
      spf: '_spf.mail.yahoo.com',
    }),
  },
  {
    provider: 'icloud',
    mx: /\.mail\.icloud\.com$/,
    smtp: /\.(me|icloud)\.com$/,
    preset: () => ({
      ...{ smtp: starttls('smtp.mail.me.com'), imap: imaps('imap.mail.me.com') },
      spf: 'icloud.com',
      dkim: (domain) => [
        cname(`sig1._domainkey.${domain}`, `sig1.dkim.${domain}.at.icloudmailadmin.com`),
      ],
    }),
  },
]

/** `com.au` of `mx.zoho.com.au`: they have one host name for each part of the world. */
const endingOf = (mx: string) =>
  /\.[a-z0-9-]+\.((?:co|com)\.[a-z]{2}|[a-z]+)$/.exec(mx)?.[1] ?? 'com'

/** By the best of a domain's mail servers; undefined: none that is known. */
export function findPreset(
  mailServers: string[],
): { provider: KnownProvider; preset: Preset } | undefined {
  const names = mailServers.map((name) => name.toLowerCase().replace(/\.$/, ''))
  for (const mx of names) {
    const rule = rules.find((each) => each.mx.test(mx))
    if (rule) return { provider: rule.provider, preset: rule.preset(mx) }
  }
  return undefined
}

/** Of a mailbox, by the server that it sends by. */
export const providerOf = (smtpHost: string): Provider =>
  rules.find(({ smtp }) => smtp.test(smtpHost.toLowerCase()))?.provider ?? 'other'

/** Whatever the domain of its mailboxes is: by a server that they send by, which tells its country too. */
export const usualPreset = (provider: KnownProvider, smtpHost = ''): Preset | undefined =>
  rules.find((rule) => rule.provider === provider)?.preset(smtpHost.toLowerCase())
