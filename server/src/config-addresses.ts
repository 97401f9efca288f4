/**
 * A password that is cut off by its own characters would leave the rest of it as the name of a host, and the
 * driver takes the address of any other service for one of PostgreSQL.
 */
export function databaseAddress(variable: string, url: string | undefined): string | undefined {
  const address = URL.parse(url ?? '')
  if (address && !/^(postgres|postgresql|socket):$/.test(address.protocol)) {
    throw new Error(
      `${variable} must be an address such as postgres://user:password@host:5432/database.`,
    )
  }
  const { username = '', pathname = '', search = '', hash = '' } = address ?? {}
  // Behind a user an @ in the query is one of its own.
  if (!`${pathname}${hash}${username ? '' : search}`.includes('@')) return url || undefined
  throw new Error(
    `${variable} has a character in its user or password that ends them: write @ as %40, / as %2F, # as %23 and ? as %3F.`,
  )
}

/** The client would take what ends a password, or another scheme, for a host, a socket or a database. */
export function redisAddress(url: string | undefined): string | undefined {
  if (!url || /^\/(?!\/)/.test(url)) return url || undefined
  const hasScheme = /^rediss?:\/\//i.test(url)
  const parsed = URL.parse(hasScheme ? url : `redis://${url}`)
  const { pathname = '', search = '', hash = '' } = parsed ?? {}
  const isPath = hasScheme ? /^(\/\d*)?$/ : /^\/?$/
  const isCut = hash !== '' || search.includes('@') || /%(?![\da-f]{2})/i.test(url)
  if (parsed && isPath.test(pathname) && !isCut) return url
  throw new Error(
    'REDIS_URL must be an address such as redis://:password@host:6379/0, with @, /, #, ? and % in a password as %40, %2F, %23, %3F and %25.',
  )
}

/** Without a slash at its end, as paths are put behind it. */
export function baseAddress(env: NodeJS.ProcessEnv, name: string, fallback = ''): string {
  const { href, origin, pathname } = webAddress(env, name, fallback)
  if (!/[?#]/.test(href)) return `${origin}${pathname}`.replace(/\/+$/, '')
  throw new Error(`${name} must have no query and no fragment: leave out what begins with ? or #.`)
}

/** People open it in a browser; programs reach the other addresses at any port. */
export function pageAddress(env: NodeJS.ProcessEnv, name: string, fallback = ''): string {
  const address = baseAddress(env, name, fallback)
  const { port } = new URL(address)
  if (!badPorts.has(Number(port))) return address
  throw new Error(
    `${env[name] ? `${name} must not be at port` : 'PORT must not be'} ${port}, at which browsers open no page: choose another port.`,
  )
}

export function webAddress(env: NodeJS.ProcessEnv, name: string, fallback = ''): URL {
  const url = URL.parse(env[name] || fallback)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${name} must be an http or https address such as https://api.example.com.`)
  }
  if (!url.username && !url.password && !url.hash) return url
  throw new Error(`${name} must have no user, password or fragment in it: leave them out.`)
}

/** https://fetch.spec.whatwg.org/#port-blocking */
const badPorts = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101],
  ...[102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389],
  ...[427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636],
  ...[989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
])
