import { spawnSync } from 'node:child_process'

/**
 * With THOROUGH=1, as before a release, everything is tried in full. Without it `npm test` makes the same
 * promises with fewer random cases, and with others for each commit.
 */
export const isThorough = process.env.THOROUGH === '1'

/** How many random cases of this many are tried. */
export const share = (count: number) => (isThorough ? count : Math.ceil(count * 0.3))

/**
 * The first of so many seeds. Each commit gets a range of its own: seeds that held before the change
 * hold after most changes, so that new ones find more.
 */
export function firstSeed(count: number): number {
  // Outside of a clone there is no number of commits: the first range then.
  const { stdout } = spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' })
  return 1 + (Number(stdout) || 0) * count
}

let turn: number | undefined

/** Whether the case at this place of a list is tried: a third of them, and with the next commit another third. */
export function isTried(at: number): boolean {
  turn ??= firstSeed(1)
  return isThorough || at % 3 === turn % 3
}
