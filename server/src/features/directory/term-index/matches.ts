import type { Db } from '../../../kernel/db/db.ts'
import { blockSize } from '../terms/index.ts'
import type { Condition } from './condition.ts'
import { type PlaceSet, placesBelow, removePlace, sizeOf } from './places.ts'
import { type Block, listBlocks } from './queries.ts'
import { findMatches } from './read-index.ts'

/** Who meets a condition. The index is read a step of blocks at a time, and each step once. */
export class Matches {
  /** Newest first, the steps and their blocks. */
  readonly #steps: Block[][]
  readonly #read = new Map<number, Promise<Map<number, PlaceSet>>>()
  readonly #db: Db
  readonly #condition: Condition
  readonly #without: number[]

  /** @param without numbers of contacts that are left out */
  static async open(db: Db, condition: Condition, without: number[] = []): Promise<Matches> {
    return new Matches(db, condition, without, await listBlocks(db))
  }

  private constructor(db: Db, condition: Condition, without: number[], blocks: Block[]) {
    this.#db = db
    this.#condition = condition
    this.#without = without
    const steps = Math.ceil(blocks.length / stepSize)
    this.#steps = Array.from({ length: steps }, (_, at) =>
      blocks.slice(at * stepSize, (at + 1) * stepSize),
    )
  }

  /** Exact up to `exactMax`; above it the older blocks are taken to be like the newer ones. */
  async count(exactMax: number): Promise<number> {
    let counted = 0
    let seen = 0
    for (const [at, step] of this.#steps.entries()) {
      for (const places of (await this.#matchesOf(at)).values()) counted += sizeOf(places)
      seen += contactsIn(step)
      if (counted > exactMax) return Math.round((counted * contactsIn(this.#steps.flat())) / seen)
    }
    return counted
  }

  /** Where somebody is. */
  async blocks(): Promise<number[]> {
    const steps = await Promise.all(this.#steps.map((_, at) => this.#matchesOf(at)))
    return steps.flatMap((matches) => [...matches.keys()])
  }

  /** Numbers of contacts, descending, below `bound` where there is one; at most `wanted`. */
  async numbersBelow(bound: number | undefined, wanted: number): Promise<number[]> {
    const numbers: number[] = []
    for (const [at, step] of this.#steps.entries()) {
      if (bound !== undefined && startOf(step.at(-1)) >= bound) continue
      const matches = await this.#matchesOf(at)
      for (const block of step) {
        const places = matches.get(block.block)
        const start = startOf(block)
        const end = Math.min(blockSize, (bound ?? Number.POSITIVE_INFINITY) - start)
        if (!places || end <= 0) continue
        for (const place of placesBelow(places, end)) {
          numbers.push(start + place)
          if (numbers.length === wanted) return numbers
        }
      }
    }
    return numbers
  }

  #matchesOf(at: number): Promise<Map<number, PlaceSet>> {
    const read = this.#read.get(at) ?? this.#readStep(this.#steps[at] ?? [])
    this.#read.set(at, read)
    return read
  }

  async #readStep(step: Block[]): Promise<Map<number, PlaceSet>> {
    const matches = await findMatches(this.#db, this.#condition, step)
    for (const number of this.#without) {
      const places = matches.get(Math.floor(number / blockSize))
      if (places) removePlace(places, number % blockSize)
    }
    return matches
  }
}

/** Blocks that are read together: two million contacts. */
const stepSize = 32

const startOf = (block: Block | undefined) => (block?.block ?? 0) * blockSize

export const contactsIn = (blocks: Pick<Block, 'contacts'>[]) =>
  blocks.reduce((sum, { contacts }) => sum + contacts, 0)
