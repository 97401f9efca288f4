import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { getWorkspaceOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useWorkspace } from '../../features/users/index.ts'
import classes from './ServerGone.module.css'

/** Over the page of a workspace that the session lacks; whoever was writing can still copy it. */
export function TakenOut() {
  const { t } = useTranslation()
  const { name } = useWorkspace()
  // The session lacks those as well whose database does not answer.
  const { error } = useQuery({ ...getWorkspaceOptions(), staleTime: 0 })
  if (error?.code !== 'workspace_mismatch') return null
  return (
    <p role="status" className={classes.notice}>
      {t(($) => $.session.takenOut, { name })}{' '}
      <Anchor component={Link} to="/" size="sm" underline="always">
        {t(($) => $.session.goOn)}
      </Anchor>
    </p>
  )
}
