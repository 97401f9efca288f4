/** As a `tsvector` is written: its lexemes, as they are. */
export const vectorOf = (lexemes: string[]): string => lexemes.map(quoted).join(' ')

/** A lexeme as a `tsvector` or `tsquery` holds it. */
export const quoted = (lexeme: string): string =>
  `'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
