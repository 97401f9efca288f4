import { decodeHTMLStrict } from 'entities'

/**
 * Text of HTML with its character references read; a name that is not known stays as it is. With their
 * semicolon only: in a link `&copy=1` is a parameter.
 */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? decodeHTMLStrict(text) : text
