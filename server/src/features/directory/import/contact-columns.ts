/** What many rows have in common. */
export const textFields = [
  { name: 'first_name', field: 'name', charactersMax: 255 },
  { name: 'last_name', field: 'name', charactersMax: 255 },
  { name: 'title', field: 'title', charactersMax: 500 },
  { name: 'seniority', field: 'seniority', charactersMax: 255 },
  { name: 'department', field: 'department', charactersMax: 255 },
  { name: 'city', field: 'city', charactersMax: 255 },
  { name: 'country', field: 'country', charactersMax: 255 },
] as const

/** In the order of the fields of a row. */
export const contactColumns = [
  ...['key', ...textFields.map(({ name }) => name)],
  ...['linkedin_url', 'email', 'email_status', 'has_email'],
]

export const contactCopyColumns = [
  ...['id', 'number', ...contactColumns],
  ...['company_id', 'timestamp_updated', 'sample'],
]
