import type { RawBuilder } from 'kysely'
import type { Db } from './db.ts'

/** Of a statement by itself, which tests explain, too. */
export const rowsOf = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> =>
  (await statement.execute(db)).rows
