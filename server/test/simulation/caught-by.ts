/**
 * Seeds whose simulations catch the fault, by scenario and fault: the first is tried, and the next where a
 * change of the code has made it another history. Where it has done so to all, the test searches a new one
 * and names it at its end; `npm run simulate -- SCENARIO --find-catching` prints all of a scenario.
 */
export const caughtBy: Record<string, Record<string, number[]>> = {
  deliveries: {
    'unlocked-fence': [8, 9],
    'settle-without-attempt-check': [3, 6],
    'delete-before-record': [11],
    'counters-outside-transaction': [2, 10],
    'counters-overwritten': [1, 12],
    'unknown-commit-taken-for-done': [3],
    'retry-at-once': [3],
    'no-sweep': [5, 4],
    'hints-only': [1],
    'taken-ignored': [5],
    'deliveries-after-commit': [1, 10],
    'renewal-without-token': [3],
    'live-leases-taken': [9],
    'destination-remembered': [9, 50],
    'subscribers-of-all-workspaces': [4],
  },
  sending: {
    'transmitting-sent-again': [11],
    'uncertain-taken-for-failed': [7],
    'days-not-counted': [10],
    'days-not-locked': [18],
    'mark-without-attempt-check': [9],
    'mark-without-gates': [7],
    'mark-of-an-old-mailbox': [13],
    'reads-late': [2, 4],
    'settle-without-attempt-check': [3, 1],
    'sleep-without-seq-check': [4, 2, 5],
    'windows-ignored': [2],
    'gap-forgotten': [3],
    'events-outside-transaction': [21],
    'letters-known-before-their-effect': [12],
    'checkpoint-before-processing': [11],
  },
  failover: {
    'nobody-asked': [10],
    'last-marks-forgotten': [10],
    'dead-sender-taken-for-asked': [10],
    'sent-while-asked': [10],
    'missing-mails-not-named': [1],
    'lag-not-seen': [1],
  },
  rearranging: {
    'answer-before-the-move-forgotten': [9, 8],
    'answer-forgotten-by-an-undo': [2],
    'suppression-not-seen': [5, 12],
  },
}
