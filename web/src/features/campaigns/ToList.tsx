import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'

export function ToList() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  return (
    <Link to="/w/$handle/campaigns" params={{ handle }} className={classes.back}>
      <ArrowLeft size="0.875rem" aria-hidden /> {t(($) => $.campaigns.toList)}
    </Link>
  )
}
