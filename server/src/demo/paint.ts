/** The colours of a terminal, by their codes (ECMA-48). */
export const tones = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 }

export type Tone = keyof typeof tones
export type Paint = (tone: Tone, text: string) => string
