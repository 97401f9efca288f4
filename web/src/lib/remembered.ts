import { keep, readKept } from './kept.ts'

const name = 'outrider-workspace'

/** The handle of the workspace that somebody looked at last in this browser. */
export const rememberedWorkspace = (): string | null => readKept(name)

export const rememberWorkspace = (handle: string) => void keep(name, handle)
