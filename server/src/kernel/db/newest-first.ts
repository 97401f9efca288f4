import { type SelectQueryBuilder, sql } from 'kysely'
import type { PageRequest } from '../http/page.ts'

/**
 * For `$call`: a page of what a statement finds, by the id in this column, and one row more than the
 * page holds.
 */
export const newestFirst =
  (page: PageRequest, column = 'id') =>
  <Tables, From extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, From, Row>) => {
    const id = sql.ref<string>(column)
    const listed = query.orderBy(id, 'desc').limit(page.limit + 1)
    return page.startingAfter === undefined ? listed : listed.where(id, '<', page.startingAfter)
  }
