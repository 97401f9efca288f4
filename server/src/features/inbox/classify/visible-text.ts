/** What the person wrote, without what was quoted below it. Linear in the length of the text. */
export function visibleText(text: string): string {
  const lines = text.slice(0, textMax).replace(/\r\n?/g, '\n').split('\n')
  const cut = lines.findIndex((_, at) => startsQuote(lines, at))
  const written = cut === -1 ? lines : lines.slice(0, cut)
  const own = written.filter((line) => !line.trimStart().startsWith('>'))
  return own
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The beginning of it on one line, for lists. */
export function snippetOf(text: string): string {
  const line = visibleText(text).replace(/\s+/g, ' ')
  const characters = [...line.slice(0, 2 * snippetMax)]
  return characters.length <= snippetMax ? line : `${characters.slice(0, snippetMax).join('')}…`
}

const textMax = 262_144
const snippetMax = 200

function startsQuote(lines: string[], at: number): boolean {
  const line = (lines[at] ?? '').trim()
  if (line.length === 0 || line.length > 500) return false
  if (separator.test(line)) return true
  // The attribution may be wrapped over a few lines, and a quoted line or a header follows it.
  const wrapped = lines
    .slice(at, at + 3)
    .join(' ')
    .trim()
    .slice(0, 500)
  if (attributionStart.test(line) && attributionEnd.test(line)) return true
  if (attributionStart.test(line) && attributionEnd.test(wrapped) && at > 0) return true
  return (
    headerStart.test(line) &&
    lines.slice(at + 1, at + 5).some((next) => headerNext.test(next.trim()))
  )
}

const separator =
  /^(?:-{3,} ?(?:original message|original[- ]?nachricht|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|wiadomość oryginalna|исходное сообщение|forwarded message|orijinal mesaj|元のメッセージ|原始邮件|原始郵件) ?-{3,}|_{20,})$/i

const attributionStart =
  /^(?:>? ?)?(?:on|am|le|el|il|em|op|w dniu|dnia|\d{1,4}[./年-]|(?:mon|tue|wed|thu|fri|sat|sun|пн|вт|ср|чт|пт|сб|вс|lun|mar|mer|jeu|ven|sam|dim)[a-zа-я]*[,.]? )/iu

const attributionEnd =
  /(?:wrote|schrieb(?: am .{0,100})?|a écrit|escribió|ha scritto|escreveu|schreef(?: .{0,100})?|napisał(?:\(a\)|a)?|пишет|написал(?:а|\(а\))?|yazdı|のメール|写道|寫道|skrev|작성)\s*[:：]?$/iu

/** Outlook quotes without marks: a block of headers. */
const headerStart =
  /^\*?(?:from|von|de|da|van|od|от|kimden|差出人|发件人|寄件者|från|fra)\s?\*?[:：]/iu
const headerNext =
  /^\*?(?:sent|to|date|subject|gesendet|an|datum|betreff|envoyé|à|objet|enviado|para|asunto|inviato|a|oggetto|assunto|verzonden|aan|onderwerp|wysłano|do|temat|отправлено|кому|тема|送信日時|宛先|件名|发送时间|收件人|主题|skickat|till|ämne|sendt|til|emne)\s?\*?[:：]/iu
