import { UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './ViewNav.module.css'

interface ViewButtonProps {
  name: string
  /** Undefined: it is not counted. */
  count: number | undefined
  isChosen: boolean
  onChoose: () => void
}

/** More are not told apart; the server counts no further. */
const most = 999

export function ViewButton({ name, count, isChosen, onChoose }: ViewButtonProps) {
  const { t } = useTranslation()
  return (
    <li>
      <UnstyledButton className={classes.view} aria-pressed={isChosen} onClick={onChoose}>
        <span title={name}>{name}</span>
        {count !== undefined && count > 0 && (
          <span className={classes.count}>
            {count > most ? t(($) => $.inbox.most, { count: most }) : count}
          </span>
        )}
      </UnstyledButton>
    </li>
  )
}
