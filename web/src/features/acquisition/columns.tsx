import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { FoundContact } from '../../api/generated/types.gen.ts'
import { numberText } from '../../lib/number.ts'
import { fullName } from '../../lib/text.ts'
import type { Column } from '../../ui/DataTable/column.ts'
import { Reveal } from './Reveal.tsx'

interface Purchase {
  mayReveal: boolean
  price: number
  /** The list that revealed contacts are put into. */
  list: string
}

export function contactColumns(t: TFunction, purchase: Purchase): Column<FoundContact>[] {
  return [
    {
      ...{ id: 'name', header: t(($) => $.contacts.columns.name), width: 8, grow: 2 },
      cell: (contact) => (
        <>
          <Text size="sm" fw={500} lh={1.25} truncate title={fullName(contact)}>
            {fullName(contact)}
          </Text>
          <Text className="narrow-only" size="xs" c="dimmed" lh={1.25} truncate>
            {[contact.title, companyOf(contact)].filter(Boolean).join(', ')}
          </Text>
        </>
      ),
    },
    {
      ...{ id: 'title', header: t(($) => $.contacts.columns.title), width: 10, grow: 3 },
      isWideOnly: true,
      cell: ({ title }) => title,
    },
    {
      ...{ id: 'company', header: t(($) => $.contacts.columns.company), width: 9, grow: 2 },
      isWideOnly: true,
      cell: companyOf,
    },
    {
      ...{ id: 'employees', header: t(($) => $.contacts.columns.employees), width: 5.5 },
      ...{ isNumber: true, isWideOnly: true },
      cell: ({ company }) => company?.employee_count && numberText(company.employee_count),
    },
    {
      ...{ id: 'place', header: t(($) => $.contacts.columns.place), width: 8, grow: 2 },
      isWideOnly: true,
      cell: ({ city, country }) => [city, country].filter(Boolean).join(', '),
    },
    {
      ...{
        id: 'address',
        header: t(($) => $.contacts.columns.address),
        width: 13.5,
        narrowWidth: 8.5,
        grow: 5,
      },
      cell: (contact) => <Reveal contact={contact} {...purchase} />,
    },
  ]
}

const companyOf = ({ company }: FoundContact) => company?.name ?? company?.domain
