import { expect, test } from 'vitest'
import { firstSeed, share } from '../../thoroughness.ts'
import { runCampaign } from './campaign-days.ts'

const seeds = share(200)
const first = firstSeed(seeds)

test(`${seeds} long campaigns keep every promise, day by day to their last mail`, () => {
  const broken = Array.from({ length: seeds }, (_, index) => first + index).flatMap((seed) =>
    runCampaign(seed, 40).violations.map((what) => `seed ${seed}: ${what}`),
  )
  expect(broken).toEqual([])
})

test('a long campaign is the same one again', () => {
  expect(runCampaign(7, 40)).toEqual(runCampaign(7, 40))
})
