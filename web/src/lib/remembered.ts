const key = 'outrider-workspace'

/** The handle of the workspace that somebody looked at last in this browser. */
export const rememberedWorkspace = (): string | null => localStorage.getItem(key)

export const rememberWorkspace = (handle: string) => localStorage.setItem(key, handle)
