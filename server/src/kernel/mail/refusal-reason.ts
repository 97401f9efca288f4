/**
 * What the refusal of a mail is about. Only `gone` says that nobody will ever get mail at the address;
 * everything else says nothing of it, whatever digit its code begins with.
 */
export type RefusalReason =
  /** The address, or its domain, does not exist. */
  | 'gone'
  /** The recipient's mailbox has no room. */
  | 'full'
  /** The message is larger than somebody takes. */
  | 'size'
  /** The sender has sent too much for now. */
  | 'quota'
  /** The sender may not send here, or not as this address: login, relaying, the envelope sender. */
  | 'sender'
  /** A rule refused it: SPF, DMARC, a blocklist, the content, somebody's settings. */
  | 'policy'
  | 'temporary'
  | 'unknown'

export interface Refusal {
  /** SMTP reply code; null: none is known. */
  code: number | null
  /** Enhanced status code (RFC 3463), as `5.1.1`. */
  enhanced: string | null
  /** The server's words, with or without its codes. */
  text: string
}

/**
 * By the enhanced codes first (RFC 3463, RFC 5248), which may also stand in the words, and by the words
 * second. Who is refused as a sender is not told that an address is gone: such words count before.
 */
export function reasonOfRefusal({ code, enhanced, text }: Refusal): RefusalReason {
  const told = text.slice(0, charactersMax)
  const codes = [...(enhanced === null ? [] : [enhanced]), ...enhancedIn(told)]
  const has = (pattern: RegExp) => codes.some((each) => pattern.test(each))
  const words = wordsOf(told)
  if (has(/^[45]\.(?:3\.4|2\.3)$/)) return 'size'
  if (!has(/^[45]\.2\.2$/) && tooLarge.test(words)) return 'size'
  if (has(/^[45]\.(?:4\.5|1\.90)$/) || sendingQuota.test(words)) return 'quota'
  if (has(/^[45]\.2\.2$/) || isFull.test(words)) return 'full'
  if (has(/^5\.7\.1[23]\d$/) || ownRestriction.test(told)) return 'policy'
  if (has(senderCodes) || isLoginCode(code) || aboutSender.test(words)) return 'sender'
  if (isTemporaryCode(code) || has(/^4\./) || temporaryReply.test(told)) return 'temporary'
  if (aboutPolicy.test(words)) return 'policy'
  if (has(goneCodes) || isGone.test(words)) return 'gone'
  // Microsoft says so where its directory knows no such recipient, and others of any rule.
  if (has(/^5\.4\.1$/) && /recipient address rejected/i.test(words)) return 'gone'
  return has(/^5\.7\./) ? 'policy' : 'unknown'
}

const charactersMax = 2000

const enhancedIn = (text: string): string[] =>
  text.match(/(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.]\d)/g) ?? []

/** Names of hosts, addresses and links hold words of their own. */
const wordsOf = (text: string) =>
  text
    .replace(/https?:\S{1,500}/gi, ' ')
    .replace(/[^\s<>@]{1,320}@[^\s<>@]{1,255}/g, ' ')
    .replace(/(?<![\w.])(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,63}(?![\w.]\w)/gi, ' ')
    .replace(/\s+/g, ' ')

const isTemporaryCode = (code: number | null) => code !== null && code >= 400 && code < 500

/** RFC 4954: who sends is asked to log in, or may not. */
const isLoginCode = (code: number | null) => code !== null && code >= 530 && code <= 538

/** `450 4.2.1 …` of a server that this one quotes: under a permanent code, too. */
const temporaryReply = /(?:^|[;:>] ?)4[0-5]\d[ -]/

/** That a mailbox or a domain is not there, is spelled wrongly, has moved, or takes no mail at all. */
const goneCodes = /^5\.1\.(?:1|2|3|6|10)$/

/** The envelope sender, and Microsoft's and RFC 4954's codes for who may not send. */
const senderCodes = /^[45]\.(?:1\.[78]|7\.(?:3|8|9|57|60))$|^5\.7\.(?:5|7)\d\d$/

/** Exchange: the recipient takes mail of some people only, and says so in words about logins. */
const ownRestriction = /RESOLVER\.RST\./

const anyOf = (...patterns: string[]) => new RegExp(patterns.join('|'), 'i')

const tooLarge = anyOf(
  'message (?:size|length|file)[^.]{0,30}(?:exceed|too)',
  '(?:message|\\b(?:e-?)?mails?\\b)[^.]{0,40}(?:too (?:big|large)|exceed[^.]{0,30}size)',
  '(?<!mail ?box |over )size limit|size exceed|databytes',
)

const sendingQuota = anyOf(
  '(?:sending|daily|hourly|outbound|outgoing|submission|per[- ](?:day|hour)|relay|tenant|recipient rate|message rate)(?: \\w+){0,4}[ -]?(?:quota|limit|threshold)',
  'submissionquota|throttling failure|sender thread limit|exceeded (?:its|your|the) (?:\\w+ )?(?:sending|message|rate)',
  'too many (?:messages|mails|e-?mails) (?:sent|from|per|in)|^[^a-z]*too many (?:messages|mails|e-?mails)',
  'maximum sending rate|daily limit for message recipients|excessive message rate|rate ?limit exceeded',
  'unusual sending activity|\\bsend limit|max(?:imum)? (?:e-?mails|messages|defers and failures) per (?:hour|day)',
)

const isFull = anyOf(
  '(?:mail ?box|inbox|mail ?folder|maildir|storage|quota|account|user|recipient)[^.]{0,60}(?:\\bfull\\b|over ?quota|over (?:the |its |his )?(?:storage |disk )?(?:quota|limit)|exceed|out of (?:storage|space)|no (?:more )?space)',
  'mail ?box size limit|over size limit|over ?quota|quota ?exceed|exceed[^.]{0,40}(?:quota|storage)|not enough (?:storage|disk|space)|insufficient (?:user |mailbox )?(?:storage|quota)',
  'postfach[^.]{0,20}voll|bo[iî]te[^.]{0,30}pleine|buz[oó]n[^.]{0,20}lleno|casella[^.]{0,20}piena|caixa[^.]{0,30}cheia|skrzynka[^.]{0,30}pe[lł]na|mailbox is vol',
)

const aboutSender = anyOf(
  '\\brelay(?:ing)?\\b(?! recipient table)|rcpthosts|non-local',
  'authenticat(?:ion|e)[^.]{0,20}(?:required|needed|failed|unsuccessful|first|credentials)|smtp authentication|(?:proper|require|must|before)[^.]{0,30}authenticat|not authenticated|log ?in first',
  'not (?:allowed|permitted|authori[sz]ed) to (?:send|relay)|permissions? to send|send(?:ing)? as\\b|may not send',
  '(?:sender|return[- ]path|mail from|from address|envelope from)\\b[^.;]{0,50}(?:reject|denied|refus|not |unknown|invalid|verif|block|mismatch|disallow|banned)',
  'denied, (?:banned|spam|sender|sending|tenant)|banned send|(?:reject|refus|den(?:y|ied)|invalid|unknown|unable to verify|could not verify|block)[^.;]{0,30}\\b(?:sender|return[- ]path|mail from)\\b|badmailfrom|domain of sender|sender (?:verify )?callout',
  'e-?mail address is not verified|must issue a starttls',
)

const aboutPolicy = anyOf(
  '\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|\\bptr\\b|reverse (?:dns|host ?name|lookup)|\\brdns\\b|\\bhelo\\b|\\behlo\\b|unauthenticated',
  'administrative(?:ly)? prohibit|prohibited|not authori[sz]ed|policy|policies',
  'black ?-?list|block ?-?list|\\bblock(?:ed|ing)\\b|\\brbl\\b|dnsbl|spamhaus|spamcop|reputation|spam|unsolicited|bulk mail|virus|malware|phish',
  'content (?:rejected|filter|not)|grey-?list|gray-?list|try (?:it )?again|temporar|rate limit|too (?:many|quickly|fast)|restricted',
)

const noun = '(?:user|recipient|mail ?box|account|address(?:ee)?|alias|local[- ]part|domain|host)'

const isGone = anyOf(
  `no such (?:${noun}|person|name)`,
  `${noun}(?: name| id| address)?(?: is| was| rejected:)? (?:unknown|not (?:found|known|exist|listed|valid)|invalid)`,
  `(?:unknown|invalid|non-?existent) (?:or \\w+ )?(?:virtual |local )?${noun}`,
  `${noun}[^.;]{0,80}(?:does(?: not|n['’]t) exist|do(?: not|n['’]t) exist|not found|could not be found)`,
  `${noun}[^.;]{0,40}(?:no longer|is (?:disabled|inactive|deactivated|closed|terminated|discontinued|deleted)|(?:has|have) been (?:disabled|deactivated|closed|deleted|discontinued|terminated|removed))`,
  "no (?:mail ?box|user|account) (?:here|by that name|with that name)|(?:does not|doesn['’]t) have an? (?:\\w+ )?account|recipientnotfound",
  'host or domain name not found|nxdomain|unrouteable|nullmx|not listed in',
  // Outlook.com, of an address that does not exist; the same words without the number mean anything.
  'mailbox unavailable \\(s20\\d+\\)',
  "empf[aä]nger[^.]{0,30}(?:unbekannt|existiert nicht)|unbekannter empf|existiert nicht|inconnu|n['’]existe pas|desconocid[oa]|no existe|n[aã]o existe|sconosciut|non esiste|onbekend|bestaat niet|nie istnieje|nieznany",
)
