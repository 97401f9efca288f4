import { type Static, Type } from 'typebox'
import { Name, Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { textNames, variableNameMax } from '../leads/index.ts'

/** What a file is sent in; a part that got lost on the way is sent again. */
export const partBytes = 4 * 1024 * 1024
const fileBytesMax = 64 * partBytes

const duplicateRules = ['skip', 'update', 'skip_anywhere'] as const

/** What a column may become, besides a variable or nothing. */
export const targetFields = ['email', 'full_name', ...textNames] as const
export type TargetField = (typeof targetFields)[number]

export const ColumnTarget = Type.Object(
  {
    target: Type.Enum([...targetFields, 'variable', 'skip']),
    variable: Type.Optional(
      Type.String({ minLength: 1, maxLength: variableNameMax, 'x-trim': true }),
    ),
  },
  { additionalProperties: false },
)

const skipReasons = [
  'invalid_email',
  'duplicate_in_file',
  'already_in_campaign',
  'in_workspace',
  'in_blocklist',
  'unsubscribed',
  'bounced',
  'too_long',
  'wrong_encoding',
  'invalid_characters',
  'too_many_fields',
  'too_many_variables',
] as const
export type FileSkipReason = (typeof skipReasons)[number]

export const SkippedFileRow = Type.Object({
  row: Type.Integer(),
  email: Type.String(),
  reason: Type.Enum([...skipReasons]),
  column: Nullable(Type.String()),
})

const Counts = Type.Object({
  rows: Type.Integer({ description: 'Rows with something in them.' }),
  added: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Unsafe<Partial<Record<FileSkipReason, number>>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many of each reason.',
  }),
  remaining_in_plan: Nullable(
    Type.Integer({ description: 'Leads that the plan has room for; null = unlimited.' }),
  ),
  problem: Nullable(Type.String({ description: 'Why nothing after these rows can be read.' })),
  first_skipped: Type.Array(SkippedFileRow),
})

const example = '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d'
const time = '2026-11-20T09:37:00.123Z'

export const Import = Type.Object(
  {
    id: Uuid,
    user_id: Uuid,
    campaign_id: Nullable(Uuid),
    file_name: Type.String(),
    file_bytes: Type.Integer(),
    part_bytes: Type.Integer({ description: 'Of each part but the last.' }),
    parts_total: Type.Integer(),
    parts_missing: Type.Array(Type.Integer(), { description: 'Not here yet, from 1.' }),
    state: Type.Enum([
      'uploading',
      'ready',
      'checking',
      'checked',
      'running',
      'finished',
      'cancelled',
      'failed',
    ]),
    encoding: Nullable(Type.String()),
    preview: Nullable(
      Type.Object({
        headings: Type.Array(Type.String()),
        rows: Type.Array(Type.Array(Type.String()), { description: 'The first ten.' }),
      }),
    ),
    mapping: Nullable(Type.Array(ColumnTarget)),
    duplicates: Type.Enum([...duplicateRules]),
    row_done: Type.Integer(),
    bytes_done: Type.Integer(),
    checked: Nullable(Counts),
    result: Nullable(Counts),
    error: Nullable(Type.String()),
    timestamp_started: Nullable(Timestamp),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'Import',
    description: 'A file of leads, and how far it is.',
    examples: [
      {
        ...{ id: example, user_id: example, campaign_id: example, file_name: 'leads.csv' },
        ...{ file_bytes: 30, part_bytes: partBytes, parts_total: 1, parts_missing: [] },
        ...{ state: 'ready', encoding: 'utf-8' },
        preview: { headings: ['Email'], rows: [['ann@example.com']] },
        ...{ mapping: [{ target: 'email' }], duplicates: 'skip', row_done: 0, bytes_done: 0 },
        ...{ checked: null, result: null, error: null, timestamp_started: null },
        ...{ timestamp_created: time, timestamp_updated: time },
      },
    ],
  },
)

export const ImportPage = Page(Import)

export const ImportInput = Type.Object(
  {
    file_name: Name,
    file_bytes: Type.Integer({ minimum: 1, maximum: fileBytesMax }),
    campaign_id: Type.Optional(Uuid),
  },
  {
    $id: 'ImportInput',
    description: 'A file that is about to be sent.',
    additionalProperties: false,
    examples: [{ file_name: 'leads.csv', file_bytes: 30 }],
  },
)

export const ImportChange = Type.Object(
  {
    campaign_id: Type.Optional(Uuid),
    mapping: Type.Optional(Type.Array(ColumnTarget, { maxItems: 1000 })),
    duplicates: Type.Optional(
      Type.Enum([...duplicateRules], {
        description:
          'Of an address that is there: leave it, update it, or leave out whoever is in any campaign.',
      }),
    ),
    encoding: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Another one than was found: the columns are read anew.',
      }),
    ),
  },
  {
    $id: 'ImportChange',
    description: 'What becomes of the columns, and where the leads go.',
    additionalProperties: false,
    examples: [{ duplicates: 'update' }],
  },
)

export const ImportStart = Type.Object(
  {
    seen_timestamp_updated: Type.String({
      maxLength: 40,
      'x-document': { format: 'date-time' },
      description:
        '`timestamp_updated` as it was seen: of what has changed since nothing is imported.',
    }),
  },
  {
    $id: 'ImportStart',
    description: 'What somebody has seen who has it imported.',
    additionalProperties: false,
    examples: [{ seen_timestamp_updated: time }],
  },
)

export type Import = Static<typeof Import>
export type ImportInput = Static<typeof ImportInput>
export type ImportChange = Static<typeof ImportChange>
export type ColumnTarget = Static<typeof ColumnTarget>
export type Counts = Static<typeof Counts>
export type SkippedFileRow = Static<typeof SkippedFileRow>
