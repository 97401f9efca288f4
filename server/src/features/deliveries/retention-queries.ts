import { sql } from 'kysely'
import type { AnyDb, ProcessDb } from '../../kernel/db/db.ts'

export interface ReplayedWeek {
  /** Its Monday. */
  week: string
  /** No replay of its events is attempted on this day or later. */
  attempts_until: string
}

export const listReplayedWeeks = (db: AnyDb): Promise<ReplayedWeek[]> =>
  db.selectFrom('replayed_weeks').select(['week', 'attempts_until']).execute()

/** What is noted already is not written again: replays of one week would wait for each other. */
export const noteReplayedWeeks = (db: AnyDb, weeks: ReplayedWeek[]) =>
  sql`
    insert into replayed_weeks as noted (week, attempts_until)
    select given.week, given.attempts_until
    from unnest(
      ${weeks.map(({ week }) => week)}::date[],
      ${weeks.map(({ attempts_until }) => attempts_until)}::date[]
    ) as given (week, attempts_until)
    where not exists (
      select from replayed_weeks r
      where r.week = given.week and r.attempts_until >= given.attempts_until
    )
    order by given.week
    on conflict (week) do update
    set attempts_until = greatest(noted.attempts_until, excluded.attempts_until)`.execute(db)

export const forgetReplayedWeeks = (db: ProcessDb, until: string) =>
  db.deleteFrom('replayed_weeks').where('attempts_until', '<=', until).execute()
