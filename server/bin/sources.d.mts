/** Differs when a source file or an installed package does. */
export function describeSources(): string

/** Whether what was built is what the sources would do. */
export function isBuiltCurrent(): boolean
