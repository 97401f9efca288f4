/** Without `Re:` and its like in other languages, any number of them. */
export const baseSubject = (subject: string): string => subject.replace(prefixes, '').trim()

const prefixes =
  /^(?:(?:re|aw|sv|vs|odp|ynt|antw|rif|r|res|fwd?|wg|回复|答复|回覆|返信)\s?(?:\[\d{1,3}\])?\s?[:：]\s?){1,10}/i
