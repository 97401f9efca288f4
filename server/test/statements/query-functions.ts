/** One line of FUNCTIONS_FILE, as JSON. */
export interface NotedFunction {
  /** Below server/. */
  file: string
  /** That of the function around it when it has none itself; '' if none is known. */
  name: string
  /** Where it begins in what vitest made of the file. */
  start: number
  wasRun: boolean
}

/** By its path below server/. */
export const queryFile = /^src\/.*(?:\/|-)queries\.ts$/
