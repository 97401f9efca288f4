/** Differs when a source file, an installed package or the build itself does. */
export function describeSources(): string

/** The folder of the program that was built of the sources as they are. */
export function findBuilt(): string | undefined
