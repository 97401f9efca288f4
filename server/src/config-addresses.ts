/** A password that is cut off by its own characters would leave the rest of it as the name of a host. */
export function databaseAddress(variable: string, url: string | undefined): string | undefined {
  const { username = '', pathname = '', search = '', hash = '' } = URL.parse(url ?? '') ?? {}
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

export function webAddress(env: NodeJS.ProcessEnv, name: string, fallback = ''): URL {
  const url = URL.parse(env[name] || fallback)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${name} must be an http or https address such as https://api.example.com.`)
  }
  if (!url.username && !url.password && !url.hash) return url
  throw new Error(`${name} must have no user, password or fragment in it: leave them out.`)
}
