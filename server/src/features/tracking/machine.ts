/** A request for a link of a mail, as far as it tells who made it. */
export interface Visit {
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Whether a program made the visit: a proxy that fetches images ahead of any reader, a scanner that
 * looks behind links, a robot. It is a guess, and errs towards not counting. The proxies of Gmail and
 * Yahoo fetch an image when somebody opens the mail, and what checks mails on arrival is faster.
 */
export function isByMachine(kind: 'open' | 'click', visit: Visit, sinceSentMs: number): boolean {
  const agent = String(visit.headers['user-agent'] ?? '').trim()
  return (
    visit.method === 'HEAD' ||
    agent === '' ||
    agent === appleMailPrivacy ||
    (readerProxies.test(agent)
      ? kind === 'click' || sinceSentMs < proxyReadAfterMs
      : robots.test(agent)) ||
    isPrefetch(visit) ||
    sinceSentMs < readAfterMs[kind]
  )
}

/** Nothing more is what Apple's Mail Privacy Protection says of itself. */
const appleMailPrivacy = 'Mozilla/5.0'

/** Proxies that fetch images for a reader, and follow no links. */
const readerProxies = /GoogleImageProxy|YahooMailProxy|YahooCacheSystem/i
const proxyReadAfterMs = 10_000

const robots = new RegExp(
  [
    // Scanners of links.
    'safelinks|BingPreview|SkypeUriPreview|Existence Discovery|Protocol Discovery',
    'Barracuda|Mimecast|Proofpoint|MessageLabs|Symantec|Sophos|TrendMicro|Trend Micro|FireEye',
    'Cloudmark|Forcepoint|Websense|Zscaler|Fortinet|FortiGuard|Cisco|IronPort|urlscan|VirusTotal',
    'Google-Safety|Avanan|Checkpoint|Vade|Hornet|Spamhaus|SpamAssassin|Trustwave|Bitdefender',
    // The rest of them say what they are. CUBOT makes telephones.
    '(?<!cu)bot\\b|crawl|spider|slurp|scan|preview|prefetch|headless|phantomjs|monitor|validator',
    '^(?:curl|wget|python|ruby|perl|php|go-http|node|axios|undici|java|apache-httpclient|libwww)',
    'python-requests|httpx|aiohttp|scrapy|puppeteer|playwright|selenium|facebookexternalhit',
  ].join('|'),
  'i',
)

function isPrefetch({ headers }: Visit): boolean {
  const purposes = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].map((name) => headers[name])
  return purposes.some((purpose) => /prefetch|preview|prerender/i.test(String(purpose ?? '')))
}

/** Nobody is faster: what comes sooner follows every mail on its arrival. */
const readAfterMs = { open: 2000, click: 5000 }
