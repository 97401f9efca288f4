import { baseSubject } from './subject.ts'
import { phrases } from './unsubscribe-phrases.ts'
import { type ReceivedText, visibleText } from './visible-text.ts'

/**
 * Whether a person asks not to be written to any more. `plain`: the mail is short and nothing but the
 * wish, after greeting and signature. `possible`: a sentence among others says so, for a person to read.
 * A subject of the mail's own is a part of what it says; that of an answer is ours.
 */
export type UnsubscribeWish = 'plain' | 'possible'

export function readWish(mail: ReceivedText): UnsubscribeWish | null {
  const text = lower(visibleText(mail).slice(0, textMax)).replace(greeting, '')
  const subject = lower(mail.subject)
  if (baseSubject(subject) === subject && isNothingBut(clausesOf(subject))) {
    const whole = withoutSignature(`${subject}\n\n${text}`)
    return whole.length <= plainMax && isNothingBut(clausesOf(whole)) ? 'plain' : 'possible'
  }
  const core = withoutSignature(text)
  const said = clausesOf(core)
  if (said.some(isWish)) {
    const isPlain = core.length <= plainMax && said.every((each) => isWish(each) || isFiller(each))
    return isPlain ? 'plain' : 'possible'
  }
  return isNothingBut(said) && core.length <= plainMax ? 'plain' : null
}

const lower = (text: string) => text.toLowerCase().replaceAll('’', "'")

const textMax = 2000
const plainMax = 200
const clauseMax = 160

const all = Object.values(phrases)
const whole = (sources: string[]) => new RegExp(`^(?:${sources.join('|')})$`, 'u')
const wish = whole(all.flatMap((each) => each.wish))
const short = whole(all.flatMap((each) => each.short))
const filler = whole(all.flatMap((each) => each.filler))

const isWish = (clause: string) => wish.test(withoutPlease(clause))
const isFiller = (clause: string) => filler.test(clause)
const isShort = (clause: string) => short.test(withoutPlease(clause))

/** Somebody who says no more than this asks for it. */
const isNothingBut = (said: string[]) =>
  said.some((each) => isWish(each) || isShort(each)) &&
  said.every((each) => isWish(each) || isShort(each) || isFiller(each))

/** Words of politeness before and behind a wish. */
const withoutPlease = (clause: string) => clause.replace(politeBefore, '').replace(politeBehind, '')

const politeBefore =
  /^(?:(?:please|kindly|just|could you|can you|would you|then|bitte|merci de|veuillez|prière de|svp|s'il vous plaît|por favor|per favore|prego di|graag|proszę|proszę o|lütfen|пожалуйста) ){1,3}/u
const politeBehind =
  / (?:please|thanks?(?: you)?|now|asap|immediately|at once|bitte|danke|sofort|merci|svp|por favor|gracias|per favore|grazie|obrigad[oa]|alstublieft|dank (?:je|u)|proszę|пожалуйста)$/u

/** `Hi Tom,` or `Sehr geehrte Frau Adler,`, on a line of its own or before the first sentence. */
const greeting =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|day)|hallo|guten (?:tag|morgen)|sehr geehrte[rs]?|liebe[rs]?|moin|bonjour|salut|ch[eè]re?|hola|buen(?:os|as) (?:días|tardes)|estimad[oa]s?|ciao|buongiorno|gentile|salve|olá|bom dia|boa tarde|caro|prezad[oa]s?|beste|geachte|goedendag|dag|dzień dobry|cześć|witam|szanown[aiy]|здравствуйте|merhaba)(?=[\s,!])[^\n,!.?]{0,60}(?:[,!.]|\n)\s*/u

/** Behind `--`, a closing formula, a program's line, or a name on a line of its own. */
function withoutSignature(text: string): string {
  const end = text.search(closing)
  const body = (end === -1 ? text : text.slice(0, end)).trim()
  const paragraphs = body.split(/\n\s*\n/)
  while (paragraphs.length > 1 && isName(paragraphs.at(-1) ?? '')) paragraphs.pop()
  return paragraphs.join('\n\n')
}

const closing =
  /^(?:--|(?:(?:best|kind|warm|many)(?: (?:regards|wishes))?|regards|cheers|sincerely|yours|(?:with |mit )?(?:freundlichen|besten|vielen|viele|beste|liebe|schöne) (?:grüßen?|gruß)|mfg|vg|lg|gruß|cordialement|bien cordialement|bien à vous|salutations|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|cordiali saluti|distinti saluti|saluti|atenciosamente|cumprimentos|abraços|(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|z poważaniem|pozdrawiam|pozdrowienia|с уважением|saygılarımla)\b|sent from my |gesendet von |envoyé de(?:puis)? mon |enviado desde |inviato da |verstuurd vanaf |wysłane z |get outlook for )/mu

/** Two lines of up to four words, without a verb's punctuation. */
const isName = (paragraph: string) =>
  paragraph.split('\n').length <= 2 &&
  paragraph
    .split('\n')
    .every((line) => /^[\p{L}.'-]+(?: [\p{L}.'-]+){0,3}$/u.test(line.trim()) && !/[!?]/.test(line))

const clausesOf = (text: string): string[] =>
  text
    .split(
      /[.!?,;:。！？、，\n]+|\s[-–—]\s|\s(?:and|but|so|und|aber|et|y|pero|e|ma|en|maar|i|ale|mas)\s/u,
    )
    .map((clause) => clause.trim().slice(0, clauseMax))
    .filter((clause) => clause !== '')
