/** `-` equals `_`, `*` equals `all`; case is kept as the contract names none. */
export const foldScope = (scope: string) => scope.replaceAll('-', '_').replaceAll('*', 'all')

/**
 * An operation that needs `r:a` is allowed by `r:a`, `r:all`, `all:a` and `all:all` (contract §2).
 *
 * @param held as they were given
 */
export function holdsScope(held: ReadonlySet<string>, needed: string): boolean {
  const [resource, action] = needed.split(':')
  const allowing = [needed, `${resource}:all`, `all:${action}`, 'all:all']
  return [...held].some((scope) => allowing.includes(foldScope(scope)))
}
