/**
 * A seed whose simulation catches the fault, by scenario and fault. Where a change of the code has
 * made it another history the test searches a new one and prints it;
 * `npm run simulate -- SCENARIO --find-catching` prints all of a scenario.
 */
export const caughtBy: Record<string, Record<string, number>> = {
  deliveries: {
    'unlocked-fence': 2,
    'settle-without-attempt-check': 2,
    'delete-before-record': 2,
    'counters-outside-transaction': 3,
    'counters-overwritten': 1,
    'unknown-commit-taken-for-done': 2,
    'retry-at-once': 2,
    'no-sweep': 1,
    'hints-only': 1,
    'taken-ignored': 1,
    'deliveries-after-commit': 3,
    'renewal-without-token': 2,
    'live-leases-taken': 1,
    'destination-remembered': 15,
    'subscribers-of-all-workspaces': 1,
  },
  sending: {
    'transmitting-sent-again': 10,
    'uncertain-taken-for-failed': 2,
    'days-not-counted': 1,
    'days-not-locked': 4,
    'mark-without-attempt-check': 1,
    'mark-without-gates': 2,
    'mark-of-an-old-mailbox': 13,
    'reads-late': 2,
    'settle-without-attempt-check': 1,
    'sleep-without-seq-check': 1,
    'windows-ignored': 2,
    'gap-forgotten': 2,
    'events-outside-transaction': 10,
    'letters-known-before-their-effect': 1,
    'checkpoint-before-processing': 1,
  },
  failover: {
    'nobody-asked': 1,
    'last-marks-forgotten': 1,
    'dead-sender-taken-for-asked': 10,
    'sent-while-asked': 10,
    'missing-mails-not-named': 1,
    'lag-not-seen': 1,
  },
}
