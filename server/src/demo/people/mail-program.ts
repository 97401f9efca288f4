import PostalMime from 'postal-mime'

/** A mail as its reader has it on the screen. */
export interface ReceivedMail {
  messageId: string
  from: string
  subject: string
  text: string
  html: string
  /** Of List-Unsubscribe. */
  unsubscribeUrl: string | undefined
}

export async function readMail(source: Buffer): Promise<ReceivedMail> {
  const {
    messageId = '',
    from,
    subject = '',
    text = '',
    html = '',
    headers,
  } = await PostalMime.parse(source)
  const unsubscribe = headers.find(({ key }) => key === 'list-unsubscribe')?.value
  return {
    ...{ messageId, subject, text, html },
    from: from?.address ?? '',
    unsubscribeUrl: /<(https?:[^>]+)>/.exec(unsubscribe ?? '')?.[1],
  }
}

/** As mail programs say who they are: the service tells them from scanners by it. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0'

const visit = (url: string, init: RequestInit = {}) =>
  // Where a link leads to is somewhere out there: nobody goes that far.
  fetch(url, { redirect: 'manual', headers: { 'user-agent': userAgent }, ...init })

/** Shows the images of a mail. */
export async function showImages({ html }: ReceivedMail): Promise<void> {
  for (const [, source] of html.matchAll(/<img[^>]+src="([^"]+)"/g)) {
    const image = await visit(plain(source))
    await image.arrayBuffer()
    mustBe(image, 200, 'The image')
  }
}

export async function followLink({ html }: ReceivedMail): Promise<void> {
  const target = /<a[^>]+href="([^"]+\/c\/[^"]+)"/.exec(html)?.[1]
  const answer = await visit(plain(target))
  mustBe(answer, 302, 'The link')
}

/** The button of a mail program (RFC 8058). */
export async function unsubscribeAtOnce({ unsubscribeUrl }: ReceivedMail): Promise<void> {
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  mustBe(await visit(plain(unsubscribeUrl), { method: 'POST', body }), 200, 'One click')
}

/** By hand: the page is opened, and its button pressed. */
export async function unsubscribeOnPage({ unsubscribeUrl }: ReceivedMail): Promise<void> {
  const page = await visit(plain(unsubscribeUrl))
  mustBe(page, 200, 'The page')
  const button = /<button name="([^"]+)" value="([^"]+)"/.exec(await page.text())
  const body = new URLSearchParams({ [button?.[1] ?? '']: button?.[2] ?? '' })
  mustBe(await visit(page.url, { method: 'POST', body }), 200, 'The button')
}

const plain = (attribute = '') => attribute.replaceAll('&amp;', '&')

function mustBe({ status }: Response, wanted: number, what: string) {
  if (status !== wanted) throw new Error(`${what} of a mail was answered with ${status}.`)
}
