import { readStored, writeStored } from './browser-storage.ts'

const name = 'outrider-workspace'

/** The handle of the workspace that somebody looked at last in this browser. */
export const rememberedWorkspace = (): string | null => readStored(name)

export const rememberWorkspace = (handle: string) => void writeStored(name, handle)
