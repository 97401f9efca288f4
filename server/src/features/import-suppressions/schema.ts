import { type Static, Type } from 'typebox'

export const ImportedSuppressions = Type.Object(
  {
    added: Type.Integer({ description: 'New, or for a stronger reason now.' }),
    known: Type.Integer({ description: 'Were there already.' }),
    invalid: Type.Integer({ description: 'Lines that are neither an address nor a domain.' }),
    invalid_lines: Type.Array(Type.Integer(), { description: 'Numbers of the first of them.' }),
  },
  {
    $id: 'ImportedSuppressions',
    description: 'What became of the list: entries, whatever the number of their lines.',
    examples: [{ added: 120, known: 3, invalid: 1, invalid_lines: [17] }],
  },
)

export type ImportedSuppressions = Static<typeof ImportedSuppressions>
