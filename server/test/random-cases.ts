import fc from 'fast-check'
import { firstSeed, share } from './thoroughness.ts'

// A set-up file: the random cases of a commit are always the same ones, so that no run of it fails
// by chance, and those of the next commit are others.
fc.configureGlobal({ seed: firstSeed(1), numRuns: share(100) })
