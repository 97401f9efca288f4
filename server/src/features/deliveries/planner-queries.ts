import { prepared } from '../../kernel/db/prepared.ts'

// The queue is empty most of the time, and when vacuum has seen it so the planner takes every way to
// its rows for the same page or two: the next burst is read by whichever index comes first, or whole,
// until the next vacuum (measured: 20 to 50 times as long). What must not happen is switched off, for
// the open transaction.

/** Rows that are wanted in the order of an index are read by that index, not sorted. */
export const disableSort = prepared<[], unknown>(
  'disable_sort',
  `select set_config('enable_sort', 'off', true)`,
)

/** Rows are reached by their places alone. */
export const allowOnlyTidScan = prepared<[], unknown>(
  'allow_only_tid_scan',
  `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true),
     set_config('enable_indexonlyscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
)

/** Undoes it. */
export const allowAllScans = prepared<[], unknown>(
  'allow_all_scans',
  `select set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'on', true),
     set_config('enable_indexonlyscan', 'on', true), set_config('enable_bitmapscan', 'on', true)`,
)
