import { expect, test } from 'vitest'
import { openLaboratory } from './engine/laboratory.ts'
import { report } from './engine/report.ts'
import { simulate } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const timeout = 600_000

test.each(scenarios)(
  '$name: every promise is kept in $seeds.tested simulated histories',
  { timeout },
  async (scenario) => {
    await using laboratory = await openLaboratory(scenario)
    const broken: string[] = []
    const { tested, remembered } = scenario.seeds
    for (const seed of [...Array.from({ length: tested }, (_, at) => at + 1), ...remembered]) {
      const verdict = await simulate(laboratory, scenario, seed)
      if (verdict.violations.length > 0) broken.push(report(scenario, verdict))
    }
    expect(broken).toEqual([])
  },
)
