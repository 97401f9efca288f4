import { type Static, Type } from 'typebox'
import { Nullable, Uuid } from '../../kernel/http/schema.ts'

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
        'Every word has to begin a word of the name, the title or the company; one of one or two letters ' +
        'has to be a whole word. A longer one that nobody has, of five letters or more in the Latin ' +
        'alphabet, is read as the ones spelt like it.',
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

const NullableText = Nullable(Type.String())

/** What is shown of a contact to whoever finds it: everything but the address. */
export const shownFields = {
  first_name: NullableText,
  last_name: NullableText,
  title: NullableText,
  seniority: NullableText,
  department: NullableText,
  company: Nullable(
    Type.Object({
      company_id: Uuid,
      name: NullableText,
      domain: NullableText,
      industry: NullableText,
      employee_count: Nullable(Type.Integer()),
    }),
  ),
  city: NullableText,
  country: NullableText,
}

const Filters = Type.Object(directoryFilters)
const Shown = Type.Object(shownFields)

export type DirectoryFilters = Static<typeof Filters>
export type ShownContact = Static<typeof Shown>
