import type { AnyContext } from '../../kernel/context.ts'
import type { SecretBox } from '../../kernel/crypto.ts'
import type { SealedColumn } from '../../kernel/sealed-columns/index.ts'
import { SizedCache } from '../../kernel/sized-cache.ts'
import type { Headers } from './headers.ts'
import { secretBytes } from './signing-secret.ts'

/** The destination that secrets are sealed for: they open for no other. */
export interface Owner {
  workspace_id: string
  id: string
}

export const sealSecret = (ctx: AnyContext, owner: Owner, secret: string) =>
  ctx.secrets.seal(secret, secretPurpose(owner))

export const openSecret = (ctx: AnyContext, owner: Owner, sealed: Buffer) =>
  ctx.secrets.open(sealed, secretPurpose(owner))

/** Null when there are none. */
export const sealHeaders = (ctx: AnyContext, owner: Owner, headers: Headers) =>
  Object.keys(headers).length === 0
    ? null
    : ctx.secrets.seal(JSON.stringify(headers), headersPurpose(owner))

/** For the delivery engine, which opens the same few values again and again. */
export const openSecretBytes = (ctx: AnyContext, owner: Owner, sealed: Buffer): Buffer =>
  openCached(ctx.secrets, sealed, secretPurpose(owner), secretBytes)

export const openHeaders = (ctx: AnyContext, owner: Owner, sealed: Buffer | null): Headers =>
  sealed ? openCached(ctx.secrets, sealed, headersPurpose(owner), parseHeaders) : {}

const destinationKey = { workspace_id: 'uuid', id: 'uuid' }

export const sealedWebhookColumns: SealedColumn[] = [
  {
    ...{ table: 'webhooks', column: 'secret', label: 'signing secrets', key: destinationKey },
    purpose: (key) => secretPurpose(key as unknown as Owner),
  },
  {
    ...{ table: 'webhooks', column: 'previous_secret', label: 'previous signing secrets' },
    key: destinationKey,
    purpose: (key) => secretPurpose(key as unknown as Owner),
  },
  {
    ...{ table: 'webhooks', column: 'headers', label: 'webhook headers', key: destinationKey },
    purpose: (key) => headersPurpose(key as unknown as Owner),
  },
]

const secretPurpose = ({ workspace_id, id }: Owner) => `webhook:${workspace_id}:${id}:secret`
const headersPurpose = ({ workspace_id, id }: Owner) => `webhook:${workspace_id}:${id}:headers`

const parseHeaders = (text: string): Headers => Object.freeze(JSON.parse(text) as Headers)

/** Of sealed texts in the cache of a process; the opened values take about as much again. */
const cacheMaxBytes = 8 * 1024 * 1024

const opened = new WeakMap<SecretBox, SizedCache<unknown>>()

/**
 * Opens a value once. The key is the purpose with the sealed text: a value that was moved to
 * another row is not found here and does not open there.
 */
function openCached<T>(
  secrets: SecretBox,
  sealed: Buffer,
  purpose: string,
  parse: (text: string) => T,
): T {
  const cache = opened.get(secrets) ?? new SizedCache<unknown>(cacheMaxBytes)
  opened.set(secrets, cache)
  const key = `${purpose} ${sealed.toString('latin1')}`
  const known = cache.get(key)
  if (known !== undefined) return known as T
  const value = parse(secrets.open(sealed, purpose))
  cache.set(key, value, key.length)
  return value
}
