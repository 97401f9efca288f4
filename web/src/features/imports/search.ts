import type { Search } from '../../lib/search.ts'

/** Which import is open, as it stands in the address. */
interface ImportSearch {
  id?: string | undefined
  /** The campaign that the leads are for, until the import knows it itself. */
  campaign?: string | undefined
}

export const importSearchOf = ({ id, campaign }: Search): ImportSearch => ({
  id: typeof id === 'string' ? id : undefined,
  campaign: typeof campaign === 'string' ? campaign : undefined,
})
