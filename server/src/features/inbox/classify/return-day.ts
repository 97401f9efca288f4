/** A calendar day, in nobody's zone. */
type Day = Temporal.PlainDate

/**
 * The first day that somebody is back, from the text of an out-of-office reply: "back on 5 December",
 * "until 04.12.2026" (the day after), "3.–7. Dezember" (the day after). Where a date can be read in
 * two ways the later one counts, and of several days the last: "from 1 until 15 December" begins with
 * an absence. A mail that comes late disturbs less than one that nobody reads.
 */
export function findReturnDay(text: string, receivedAt: Date): Day | null {
  const today = dayOf(receivedAt)
  const mentions = findDates(text.slice(0, textMax), today)
  const returns: Day[] = []
  const lasts: Day[] = []
  for (const [at, mention] of mentions.entries()) {
    const role = roleOf(mention, mentions[at - 1])
    if (role === 'return') returns.push(mention.day)
    if (role === 'last') lasts.push(mention.day.add({ days: 1 }))
  }
  const found = latest([...returns, ...lasts])
  // By UTC: where the reader is, today may not have begun.
  if (!found || Temporal.PlainDate.compare(found, today) < 0) return null
  return Temporal.PlainDate.compare(found, today.add({ days: daysAheadMax })) > 0 ? null : found
}

const textMax = 4000
const daysAheadMax = 400

interface Mention {
  day: Day
  /** What stands before and behind it on the way to its neighbours, lower case. */
  before: string
  after: string
}

const dayOf = (time: Date) =>
  Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO('UTC').toPlainDate()

const latest = (days: Day[]): Day | undefined => days.toSorted(Temporal.PlainDate.compare).at(-1)

function roleOf(mention: Mention, previous: Mention | undefined): 'return' | 'last' | undefined {
  if (returnBefore.test(mention.before) || returnAfter.test(mention.after)) return 'return'
  if (lastBefore.test(mention.before) || lastAfter.test(mention.after)) return 'last'
  if (shortRange.test(mention.before)) return 'last'
  return previous && rangeBetween.test(mention.before) ? 'last' : undefined
}

/** Not one of the words that say by themselves what the day is. */
const article = '(?:the |den |dem |le |el |il |o |a |på |del |dia |día )?'
const weekday = `${article}(?:(?!(?:until|till|through|bis|hasta|fino|até|tot|до) )\\p{L}{2,12}[.,]{0,2} )?${article}`

/** Words right before a date; a weekday and an article may stand between. */
const before = (words: string) => new RegExp(`(?:${words})[ :,]*${weekday}$`, 'iu')

const returnBefore = before(
  [
    '\\b(?:back|return|returning|returns|available again|resume|again)(?: (?:in|to|at) (?:the |my )?(?:office|work|desk))?(?: (?:on|from|by|starting))?',
    '(?:wieder|zurück|erreichbar|rückkehr)(?: (?:im büro|für sie|persönlich|erreichbar|da))*(?: (?:ab|am|ist))?|\\bab',
    '(?:de retour|retour|reviens|reviendrai|serai présente?|disponible)(?: (?:au bureau|dès|à partir))*(?: (?:le|du|au))?|à partir du',
    '(?:regreso|regresaré|vuelvo|volveré|vuelta|de vuelta|reincorporo|reincorporaré|a partir)(?: (?:a la oficina|al trabajo))?(?: (?:el|del))?',
    '(?:rientro|rientrerò|torno|tornerò|di nuovo (?:in ufficio|disponibile))(?: (?:in ufficio|al lavoro))?(?: (?:il|dal|a partire dal))?',
    '(?:retorno|retornarei|volto|voltarei|regresso|regressarei)(?: ao (?:escritório|trabalho))?(?: (?:em|no dia|dia|a))?',
    '(?:terug|weer (?:aanwezig|bereikbaar|op kantoor)|vanaf)(?: op kantoor)?(?: (?:op|vanaf))?',
    '(?:wracam|wrócę|powrót|powrotu|będę dostępn[ya]|ponownie)(?: (?:do biura|do pracy))?(?: (?:w dniu|dnia|od))?',
    '(?:вернусь|выйду|возвращаюсь|буду(?: снова)?(?: на (?:месте|связи|работе))?|выхожу)(?: (?:на работу|в офис))?(?: (?:с))?',
    '(?:dönüş(?:üm)?|tekrar)(?: tarihi(?:m)?)?',
    'åter|tillbaka|tilbake|tilbage|palaan',
    '(?:出社(?:予定)?(?:日)?|復帰(?:予定)?|返回|复工|回来|回到办公室|복귀)(?:は|日|时间|時間|:|：|于|在|는|일)*',
  ].join('|'),
)

const lastBefore = before(
  [
    '\\b(?:until|till|til|through|thru|up to(?: and including)?|ending|ends|to)',
    '\\b(?:bis(?: (?:zum|einschließlich|inkl\\.?|einschl\\.?))?)',
    "(?:jusqu['’]au|jusqu['’]à|au)",
    '(?:hasta|al)',
    '(?:fino al|sino al|fino a)',
    '(?:até(?: (?:o )?dia)?|até ao dia)',
    '(?:tot(?: en met)?|t/m)',
    '\\b(?:do)(?: dnia)?',
    '(?:до|по)',
    '(?:t\\.o\\.m\\.?|till och med|til og med|asti|saakka)',
    '(?:至|到|直到)',
  ].join('|'),
)

/** In these languages the word follows the date. */
const returnAfter =
  /^(?:\p{L}{0,4}\(.{1,3}\))?[ ,]*(?:より|から|に(?:出社|復帰|戻り)|(?:tarihinde(?:n itibaren)?|['’]?(?:de|da|te|ta))[^.]{0,30}(?:döneceğim|dönüyorum|ofiste|iş başı)|(?:부터|에)[^.]{0,15}(?:복귀|출근|가능)|(?:起)?(?:返回|回来|恢复|復工|回到|上班))/u
const lastAfter =
  /^(?:\p{L}{0,4}\(.{1,3}\))?[ ,]*(?:まで|['’]?\p{L}{0,4} ?(?:tarihine )?kadar|까지|asti|saakka)/u

/** `23 - 30 November`: the first day has no month of its own. */
const shortRange =
  /(?<!\d)\d{1,2}(?:\.|st|nd|rd|th|er)?[ ]?(?:[-–—~～]|to|and|bis|au|al|a|y|e|tot|do|по)[ ]?$/iu

const rangeBetween =
  /^[ ]*(?:[-–—~～〜]|to|and|bis|und|au|et|al|a|y|ao|e|tot|do|по|до|至|到|から)[ ]*(?:\p{L}{2,10}[.,]{0,2} )?(?:le |el |il |o )?$/iu

const monthNames: [string, number][] = Object.entries({
  1: 'january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia stycznia января янв ocak januar tammikuuta',
  2: 'february feb februar février févr fevrier febrero febbraio febbr fevereiro fev februari lutego lut февраля фев şubat helmikuuta',
  3: 'march mar märz maerz mars marzo março marco maart marca марта мар mart maaliskuuta',
  4: 'april apr avril avr abril abr aprile kwietnia апреля апр nisan huhtikuuta',
  5: 'may mai mayo maggio mag maio mei maja мая mayıs maj toukokuuta',
  6: 'june jun juni juin junio giugno giu junho czerwca июня июн haziran kesäkuuta',
  7: 'july jul juli juillet juil julio luglio lug julho lipca июля июл temmuz heinäkuuta',
  8: 'august aug août aout agosto ago augustus sierpnia августа авг ağustos augusti elokuuta',
  9: 'september sep sept septembre septiembre settembre sett setembro set września wrzesnia сентября сен eylül syyskuuta',
  10: 'october oct oktober okt octobre octubre ottobre ott outubro out października pazdziernika октября окт ekim lokakuuta',
  11: 'november nov novembre noviembre novembro listopada ноября ноя kasım marraskuuta',
  12: 'december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro grudnia декабря дек aralık desember des joulukuuta',
}).flatMap(([month, names]) =>
  names.split(' ').map((name): [string, number] => [name, Number(month)]),
)

const months = new Map(monthNames)
const monthPattern = [...months.keys()].sort((a, b) => b.length - a.length).join('|')
const year = '(?<!\\d)20\\d\\d(?!\\d)'

/** Each with the groups y, m, d, or `month` by its name. */
const datePatterns = [
  new RegExp(`(?<y>${year})[-/.年 ]{1,2}(?<m>\\d{1,2})[-/.月 ]{1,2}(?<d>\\d{1,2})(?!\\d)日?`, 'gu'),
  /(?<!\d)(?:(?<y>20\d\d)[年년] ?)?(?<m>\d{1,2})[月월] ?(?<d>\d{1,2})[日일]?/gu,
  new RegExp(
    `(?<!\\d)(?<d>\\d{1,2})(?:st|nd|rd|th|er|º|°|\\.)?(?: (?:of|de|di|do))? ?(?<month>${monthPattern})\\.?(?!\\p{L})(?:,? ?(?:de |del |do )?(?<y>${year}))?`,
    'giu',
  ),
  new RegExp(
    `(?<!\\p{L})(?<month>${monthPattern})\\.? (?<d>\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? (?<y>${year}))?`,
    'giu',
  ),
  /(?<!\d)(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?:(?<y>20\d\d|\d\d)(?!\d))?/gu,
  /(?<!\d)(?<first>\d{1,2})[/-](?<second>\d{1,2})[/-](?<y>20\d\d|\d\d)(?!\d)/gu,
  /(?<![\d/])(?<first>\d{1,2})\/(?<second>\d{1,2})(?![\d/])/gu,
]

function findDates(text: string, today: Day): Mention[] {
  const found: { from: number; to: number; day: Day }[] = []
  const order = orderIn(text)
  for (const pattern of datePatterns) {
    for (const match of text.matchAll(pattern)) {
      const [from, to] = [match.index, match.index + match[0].length]
      if (found.some((other) => from < other.to && other.from < to)) continue
      const day = dayIn(match.groups ?? {}, today, order)
      if (day) found.push({ from, to, day })
    }
  }
  const ordered = found.sort((a, b) => a.from - b.from)
  return ordered.map(({ from, to, day }, at) => ({
    day,
    before: text.slice(Math.max(ordered[at - 1]?.to ?? 0, from - 60), from).replace(/\s+/g, ' '),
    after: text.slice(to, Math.min(ordered[at + 1]?.from ?? text.length, to + 40)),
  }))
}

type Groups = Partial<Record<string, string>>
type Order = 'day first' | 'month first'

/** `24/12/2026` tells how `06/01/2027` beside it is meant. */
function orderIn(text: string): Order | null {
  for (const [, first, second] of text.matchAll(/(?<![\d/])(?!24\/7)(\d{1,2})\/(\d{1,2})(?!\d)/g)) {
    if (Number(first) > 12 && Number(second) <= 12) return 'day first'
    if (Number(second) > 12 && Number(first) <= 12) return 'month first'
  }
  return null
}

function dayIn(groups: Groups, today: Day, order: Order | null): Day | undefined {
  const { d, m, month, y, first, second } = groups
  if (first === undefined || second === undefined) {
    const named = months.get((month ?? '').toLowerCase()) ?? Number(m)
    return completeDay(y, named, Number(d), today)
  }
  const [one, other] = [Number(first), Number(second)]
  const ways = [
    order === 'month first' ? undefined : completeDay(y, other, one, today),
    order === 'day first' ? undefined : completeDay(y, one, other, today),
  ]
  const near = today.add({ days: daysAheadMax })
  const possible = ways
    .filter((day) => day !== undefined)
    .filter((day) => Temporal.PlainDate.compare(day, near) <= 0)
  if (y !== undefined) return latest(possible)
  // The other way around it would be in another year.
  const ahead = possible.filter((day) => Temporal.PlainDate.compare(day, today) >= 0)
  return ahead.toSorted(Temporal.PlainDate.compare)[0]
}

/** Without a year it is the next such day; yesterday may be told of, too. */
function completeDay(y: string | undefined, month: number, day: number, today: Day) {
  const year = y === undefined ? today.year : Number(y.length === 2 ? `20${y}` : y)
  const date = dateOf(year, month, day)
  if (!date || y !== undefined) return date
  const isPast = Temporal.PlainDate.compare(date, today.subtract({ days: 90 })) < 0
  return isPast ? dateOf(year + 1, month, day) : date
}

function dateOf(year: number, month: number, day: number): Day | undefined {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' })
  } catch {
    return undefined
  }
}
