import { BaseSequencer, type TestSpecification } from 'vitest/node'

const simulations = /\/test\/simulation\//
const processes = /\/(test\/(faults|mail)|src\/(process|kernel\/postgres))\//

/**
 * What takes minutes begins first: at the end no worker stands idle beside the last one. Simulations,
 * which compute, and real processes, which are mostly waited for, take turns.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const {
      computing = [],
      waiting = [],
      others = [],
    } = Object.groupBy(await super.sort(files), ({ moduleId }) => {
      if (simulations.test(moduleId)) return 'computing'
      return processes.test(moduleId) ? 'waiting' : 'others'
    })
    const inTurns = Array.from({ length: Math.max(computing.length, waiting.length) }, (_, at) => [
      ...computing.slice(at, at + 1),
      ...waiting.slice(at, at + 1),
    ])
    return [...inTurns.flat(), ...others]
  }
}
