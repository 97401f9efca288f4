import type { Search } from '../../lib/search.ts'

interface SignInSearch {
  /** Where somebody wanted to go; only a path of ours, never another site's address. */
  next?: string
  /** The provider sent somebody back who may not enter, or whom it failed. */
  error?: 'oidc' | 'oidc-failed'
}

export const signInSearchOf = ({ next, error }: Search): SignInSearch => ({
  next: typeof next === 'string' && /^\/(w|account|consent)\b/.test(next) ? next : undefined,
  error: error === 'oidc' || error === 'oidc-failed' ? error : undefined,
})
