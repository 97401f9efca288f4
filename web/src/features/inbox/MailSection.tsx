import { Button, Text, UnstyledButton } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ThreadMessage } from '../../api/generated/types.gen.ts'
import { hasWord } from '../../lib/highlight-words.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { Attachment } from './Attachment.tsx'
import { MailBody } from './MailBody.tsx'
import classes from './MailSection.module.css'
import { MailText } from './MailText.tsx'
import { MatchNote } from './MatchNote.tsx'
import { useHighlights } from './useHighlights.ts'
import { useWriterName } from './useWriterName.ts'

interface MailSectionProps {
  message: ThreadMessage
  leadEmail: string | null
  /** Others are a line until they are asked for. */
  isOpenAtFirst: boolean
  /** To be marked; a mail with one of them is open as well. */
  words: readonly string[]
}

/** One mail: who wrote it, when, and what. */
export function MailSection({ message, leadEmail, isOpenAtFirst, words }: MailSectionProps) {
  const { t } = useTranslation()
  // What is read stays open when something comes in after it.
  const [isChosen, setChosen] = useState<boolean | undefined>(isOpenAtFirst || undefined)
  const isOpen = isChosen ?? hasWord(message.text, words)
  const [showsImages, setShowsImages] = useState(false)
  const writer = useWriterName(message.written_by) ?? message.from_name
  const { direction, kind, step, from_address, attachments } = message
  const isOurs = direction === 'out'
  const snippet = useRef<HTMLSpanElement>(null)
  useHighlights(snippet, words, `${isOpen} ${message.snippet}`)
  return (
    <section className={classes.mail} data-ours={isOurs || undefined}>
      <UnstyledButton
        className={classes.head}
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
      >
        <span className={classes.from}>
          {writer
            ? t(($) => $.inbox.writtenBy, { name: writer, address: from_address })
            : from_address}
        </span>
        {kind !== 'reply' && kind !== 'manual' && (
          <StateBadge tone={toneOf(kind)}>
            {kind === 'step'
              ? t(($) => $.inbox.step, { step })
              : t(($) => $.inbox.kinds[kind as 'auto_reply'])}
          </StateBadge>
        )}
        <span className={classes.when}>
          <RelativeTime at={message.timestamp} />
        </span>
        {!isOpen && (
          <span ref={snippet} className={classes.snippet}>
            {message.snippet}
          </span>
        )}
      </UnstyledButton>
      {isOpen && (
        <div className={classes.body}>
          <Text size="xs" c="dimmed" mb="xs">
            {t(($) => $.inbox.to, { addresses: message.to_addresses.join(', ') })}
            {message.cc_addresses.length > 0 &&
              ` · ${t(($) => $.inbox.cc, { addresses: message.cc_addresses.join(', ') })}`}
          </Text>
          {!isOurs && <MatchNote message={message} leadEmail={leadEmail} />}
          {message.has_html && message.has_remote_images && !showsImages && (
            <p className={classes.images}>
              {t(($) => $.inbox.imagesHidden)}{' '}
              <Button variant="subtle" size="compact-xs" onClick={() => setShowsImages(true)}>
                {t(($) => $.inbox.showImages)}
              </Button>
            </p>
          )}
          {message.has_html ? (
            <MailBody id={message.id} showsImages={showsImages} words={words} />
          ) : (
            <MailText text={message.text} words={words} />
          )}
          {attachments.length > 0 && (
            <ul className={classes.attachments} aria-label={t(($) => $.inbox.attachments)}>
              {attachments.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: it is what the file is asked for by
                <li key={index}>
                  <Attachment messageId={message.id} index={index} name={name} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  )
}

const toneOf = (kind: string) =>
  kind === 'bounce' || kind === 'complaint' ? 'red' : kind === 'auto_reply' ? 'amber' : 'gray'
