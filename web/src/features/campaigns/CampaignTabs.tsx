import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { type Tab, tabs } from './search.ts'
import { useDraft } from './useDraft.ts'

export function CampaignTabs({ tab }: { tab: Tab }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { campaign } = useDraft()
  const nav = useRef<HTMLElement>(null)
  // On a telephone there is room for some of them.
  useEffect(() => {
    const current = nav.current?.querySelector(`[data-tab=${tab}]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  return (
    <nav ref={nav} className={classes.tabs} aria-label={campaign.name}>
      {tabs.map((each) => (
        <Link
          key={each}
          data-tab={each}
          to="/w/$handle/campaigns/$id"
          params={{ handle, id: campaign.id }}
          search={{ tab: each }}
          activeProps={{}}
          aria-current={each === tab ? 'page' : undefined}
        >
          {t(($) => $.campaigns.tabs[each])}
        </Link>
      ))}
    </nav>
  )
}
