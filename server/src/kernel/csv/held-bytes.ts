/** The end of what was read, for as long as somebody may want to look at it again. */
export class HeldBytes {
  #pieces: Buffer[] = []
  /** Of the whole, the place where the first piece begins. */
  #from = 0

  add(piece: Buffer) {
    this.#pieces.push(piece)
  }

  /** Lets go of the pieces that end before a place of the whole. */
  dropBefore(place: number) {
    for (;;) {
      const length = this.#pieces[0]?.length
      if (length === undefined || this.#from + length > place) return
      this.#pieces.shift()
      this.#from += length
    }
  }

  /** What is before it is let go. */
  slice(begin: number, end: number): Buffer {
    this.dropBefore(begin)
    const [first] = this.#pieces
    const isWhole = first && end - this.#from <= first.length
    // Most rows lie in one piece, and a copy of all for each would take long.
    const held = isWhole ? first : Buffer.concat(this.#pieces)
    return held.subarray(begin - this.#from, end - this.#from)
  }
}
