import type { FoundContact } from '../../api/generated/types.gen.ts'

export const fullName = ({
  first_name,
  last_name,
}: Pick<FoundContact, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')
