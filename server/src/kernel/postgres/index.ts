export { type EmbeddedPostgres, type StartOptions, startPostgres } from './embedded.ts'
export { findRunning } from './ownership.ts'
export { StartFailure } from './postmaster.ts'
export { readMajorVersion } from './programs.ts'
