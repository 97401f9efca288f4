/**
 * A seed whose simulation catches the fault, by scenario and fault. Where a change of the code has
 * made it another history the test searches a new one and prints it;
 * `npm run simulate -- SCENARIO --find-catching` prints all of a scenario.
 */
export const caughtBy: Record<string, Record<string, number>> = {
  deliveries: {
    'unlocked-fence': 9,
    'settle-without-attempt-check': 3,
    'delete-before-record': 3,
    'counters-outside-transaction': 3,
    'counters-overwritten': 1,
    'unknown-commit-taken-for-done': 1,
    'retry-at-once': 3,
    'no-sweep': 1,
    'hints-only': 1,
    'taken-ignored': 3,
    'deliveries-after-commit': 4,
    'renewal-without-token': 6,
    'live-leases-taken': 1,
    'destination-remembered': 8,
    'subscribers-of-all-workspaces': 2,
  },
  sending: {
    'transmitting-sent-again': 10,
    'uncertain-taken-for-failed': 1,
    'days-not-counted': 1,
    'days-not-locked': 3,
    'mark-without-attempt-check': 1,
    'mark-without-gates': 1,
    'reads-late': 4,
    'settle-without-attempt-check': 2,
    'sleep-without-seq-check': 18,
    'windows-ignored': 2,
    'gap-forgotten': 2,
    'events-outside-transaction': 24,
    'letters-known-before-their-effect': 1,
    'checkpoint-before-processing': 1,
  },
}
