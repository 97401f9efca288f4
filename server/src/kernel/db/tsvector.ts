/** Writes lexemes, as they are, as a `tsvector`. */
export const vectorOf = (lexemes: string[]): string => lexemes.map(quoted).join(' ')

/** A lexeme as a `tsvector` or `tsquery` holds it. */
export const quoted = (lexeme: string): string =>
  `'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
