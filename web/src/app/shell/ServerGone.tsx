import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { readEverythingAgain } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'
import classes from './ServerGone.module.css'

const askEveryMs = 2000

/** Says so until the server answers again, and then reads everything anew. */
export function ServerGone() {
  const { t } = useTranslation()
  useEffect(() => {
    const ask = async () => {
      const answer = await fetch('/health').catch(() => undefined)
      if (!answer?.ok) return
      setConnection('connected')
      await readEverythingAgain()
    }
    const timer = setInterval(() => void ask(), askEveryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <p role="status" className={classes.notice}>
      {t(($) => $.session.gone)}
    </p>
  )
}
