import type { FindContacts } from '../../api/generated/types.gen.ts'
import { oneOf, type Search, textOf } from '../../lib/search.ts'

export const views = ['search', 'lists', 'credits'] as const
export type ContactView = (typeof views)[number]

/** What is looked for, as it stands in the address; several values of one are alternatives. */
export interface ContactFilter {
  q?: string | undefined
  titles?: string[] | undefined
  seniorities?: string[] | undefined
  companies?: string[] | undefined
  industries?: string[] | undefined
  countries?: string[] | undefined
  size?: CompanySize | undefined
  /** Leaves out whom the workspace has already. */
  only?: 'new' | undefined
}

export interface ContactSearch extends ContactFilter {
  view?: ContactView | undefined
  /** The list that is open. */
  list?: string | undefined
}

/** Employees, both ends included. */
export const sizes = {
  '1-10': { min: 1, max: 10 },
  '11-50': { min: 11, max: 50 },
  '51-200': { min: 51, max: 200 },
  '201-1000': { min: 201, max: 1000 },
  '1001+': { min: 1001 },
} as const
export type CompanySize = keyof typeof sizes
export const sizeNames = Object.keys(sizes) as CompanySize[]

/** By name; the directory finds them by its codes, as `c_suite`. Others may be typed. */
export const seniorities = [
  ...['Owner', 'Founder', 'C-suite', 'Partner', 'VP', 'Head', 'Director', 'Manager', 'Senior'],
  ...['Entry', 'Intern'],
]

export function contactsSearchOf(search: Search): ContactSearch {
  const { q, size, view, list, only } = search
  return {
    q: textOf(q, 500),
    titles: textsOf(search.titles),
    seniorities: textsOf(search.seniorities),
    companies: textsOf(search.companies),
    industries: textsOf(search.industries),
    countries: textsOf(search.countries),
    size: oneOf(sizeNames, size),
    only: oneOf(['new'], only),
    view: views.find((each) => each === view && each !== 'search'),
    list: typeof list === 'string' ? list : undefined,
  }
}

function textsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((each) => typeof each === 'string' && each !== '')
  return texts.length > 0 ? texts : undefined
}

export function filterOf({ view: _view, list: _list, ...filter }: ContactSearch): ContactFilter {
  return filter
}

export const isFiltered = (filter: ContactFilter) =>
  Object.values(filter).some((value) => value !== undefined)

/** As the server takes it. Whom nothing is known of to write to is not shown. */
export const bodyOf = ({ q, size, companies, only, ...words }: ContactFilter): FindContacts => ({
  ...Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
  ...(q ? { query: q } : {}),
  ...(companies ? { company_names: companies } : {}),
  ...(size ? { employee_count: sizes[size] } : {}),
  ...(only ? { exclude_acquired: true } : {}),
  has_email: true,
})
