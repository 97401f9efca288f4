/** Differs when a source file, an installed package or the build itself does. */
export function describeSources(): string

/** Names the newest build. */
export const newestFile: string

/** The folder of the program that was built of the sources as they are. */
export function findBuilt(): string | undefined
