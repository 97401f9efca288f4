import { BaseSequencer, type TestSpecification } from 'vitest/node'

const long = /\/(test\/(simulation|faults|mail)|src\/(process|kernel\/postgres))\//

/** What takes minutes begins first: at the end no worker stands idle beside the last one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { first = [], then = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      long.test(moduleId) ? 'first' : 'then',
    )
    return [...first, ...then]
  }
}
