import { Kbd } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useMay } from '../users/index.ts'
import classes from './InboxPage.module.css'

/** The keys that are needed most, for whoever may use them. */
export function ShortcutHint() {
  const { t } = useTranslation()
  const mayChange = useMay('member')
  const changes = [
    [t(($) => $.inbox.hints.reply), 'r'],
    [t(($) => $.inbox.hints.done), 'e'],
  ] as const
  const hints = [
    [t(($) => $.inbox.hints.move), 'j', 'k'],
    ...(mayChange ? changes : []),
    [t(($) => $.inbox.hints.all), '?'],
  ]
  return (
    <p className={classes.keys}>
      {hints.map(([text, ...keys]) => (
        <span key={text}>
          {keys.map((key) => (
            <Kbd key={key} size="xs">
              {key}
            </Kbd>
          ))}
          {text}
        </span>
      ))}
    </p>
  )
}
