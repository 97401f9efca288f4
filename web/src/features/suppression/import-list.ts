import { client } from '../../api/generated/client.gen.ts'
import type { ImportedSuppressions } from '../../api/generated/types.gen.ts'
import type { Entry } from './entry.ts'

/** As a stream of text, which the description of the API has no words for. */
export async function importList(
  list: Blob,
  reason: Entry['reason'],
): Promise<ImportedSuppressions> {
  const { data } = await client.post<{ 200: ImportedSuppressions }, unknown, true>({
    url: '/app/suppressions/import',
    query: { reason },
    body: list,
    bodySerializer: null,
    headers: { 'Content-Type': 'text/csv' },
    throwOnError: true,
  })
  return data
}
