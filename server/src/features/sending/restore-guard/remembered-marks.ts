import type { SendKey } from '../ledger.ts'

/** A mail whose end may have been sent: the commit that says so in the ledger was answered. */
export interface RememberedMark extends SendKey {
  /** Of the attempt. */
  id: string
  attempt: number
  campaign_id: string
  mailbox_id: string
  timestamp_marked: Date
}

/** Marks between two looks at the database. */
interface Stretch {
  marks: Map<string, RememberedMark>
  /** A database that has come so far has them all. Undefined: no look has told yet. */
  epoch: number | undefined
}

/** Closed ones that are kept: with a look every 15 s, a standby may lag by a minute. */
const stretchesMax = 4

/**
 * What this process has marked lately, to be asked of a database that takes the place of another.
 * The epoch of the ledger grows with every look and is committed after the marks before it, so a
 * standby that has the epoch of a look has these marks, too. Older stretches are dropped: a database
 * that has not even come so far as they did cannot be asked, and counts as one that was put back.
 */
export class RememberedMarks {
  #stretches: Stretch[] = [{ marks: new Map(), epoch: undefined }]
  /** Nothing is known of what a database lacks that has not come so far. */
  #droppedTo = 0

  add(mark: RememberedMark) {
    this.#stretches.at(-1)?.marks.set(mark.id, mark)
  }

  /** A mail that was certainly not sent is forgotten: nobody has to know of it. */
  forget(id: string) {
    for (const { marks } of this.#stretches) marks.delete(id)
  }

  /** A look begins: what is marked from now on may not be what its commit comes after. */
  begin() {
    if (this.#stretches.at(-1)?.marks.size === 0) return
    this.#stretches.push({ marks: new Map(), epoch: undefined })
  }

  /** The look was committed with this epoch. */
  close(epoch: number) {
    const before = this.#stretches.slice(0, -1)
    for (const stretch of before) stretch.epoch ??= epoch
    for (const { epoch: dropped = 0 } of before.slice(0, -stretchesMax)) this.#droppedTo = dropped
    this.#stretches = this.#stretches.slice(-stretchesMax - 1)
  }

  /** The marks that a database of this epoch may lack; undefined when it lacks more than is remembered. */
  after(epoch: number): RememberedMark[] | undefined {
    if (epoch < this.#droppedTo) return undefined
    return this.#stretches
      .filter((stretch) => stretch.epoch === undefined || stretch.epoch > epoch)
      .flatMap(({ marks }) => [...marks.values()])
  }

  /** Another database goes on counting from this epoch: its next look closes what is remembered. */
  moveTo(epoch: number) {
    const marks = new Map(this.#stretches.flatMap((stretch) => [...stretch.marks]))
    this.#stretches = [{ marks, epoch: undefined }]
    this.#droppedTo = epoch
  }
}
