import { setImmediate as othersTurn } from 'node:timers/promises'

/** So little that not even one of nothing but line ends or commas takes long. */
const pieceBytes = 1 << 14

/** Passes bytes on in small pieces; other work of this process gets a turn before each. */
export async function* inTurns(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += pieceBytes) {
      await othersTurn()
      yield piece.subarray(at, at + pieceBytes)
    }
  }
}
