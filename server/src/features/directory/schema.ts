import { type Static, Type } from 'typebox'
import { Nullable } from '../../kernel/http/schema.ts'

const Words = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 1000, description }),
  )

/** `null` equals omitted (contract §1). */
const Count = Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })))

/**
 * What a search may ask for (contract §8). Several values of one filter are alternatives, several
 * filters have to be met together. Case, accents and punctuation make no difference.
 */
export const directoryFilters = {
  query: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Every word has to begin a word of the name, the title or the company. A word that nobody has is read as the ones spelt like it.',
    }),
  ),
  titles: Words('All words of one of these have to be in the title.'),
  seniorities: Words('As in the directory, such as `c_suite`, `vp`, `director`.'),
  departments: Words('As in the directory.'),
  company_names: Words('All words of one of these have to be in the name of the company.'),
  company_domains: Words('Domains or addresses of web sites.'),
  industries: Words('As in the directory.'),
  employee_count: Type.Optional(
    Type.Object(
      { min: Count, max: Count },
      { additionalProperties: false, description: 'Of the company, both ends included.' },
    ),
  ),
  countries: Words('Names, or ISO 3166 codes of two letters.'),
  cities: Words('As in the directory.'),
  technologies: Words('That the company uses.'),
  has_email: Type.Optional(Type.Boolean({ description: 'Whether the address may be asked for.' })),
}

const Filters = Type.Object(directoryFilters)

export type DirectoryFilters = Static<typeof Filters>
