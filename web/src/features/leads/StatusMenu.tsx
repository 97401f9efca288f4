import { Button, Menu } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { settableStatuses, useOwnLabels } from '../labels/index.ts'

interface StatusMenuProps {
  position: 'top-start' | 'bottom-start'
  isBusy: boolean
  /** Something else is being done. */
  isDisabled?: boolean
  onSet: (status: string, name: string) => void
}

/** What a person may say of leads: the statuses that each workspace has, and its own labels. */
export function StatusMenu({ position, isBusy, isDisabled = false, onSet }: StatusMenuProps) {
  const { t } = useTranslation()
  const { settable, query } = useOwnLabels()
  return (
    <Menu position={position}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          loading={isBusy}
          disabled={isDisabled}
          rightSection={<ChevronDown size="0.875rem" aria-hidden />}
        >
          {t(($) => $.leads.bulk.setStatus)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
        <QueryFault query={query} />
        {settableStatuses.map((status) => {
          const name = t(($) => $.labels.statuses[status])
          return (
            <Menu.Item key={status} onClick={() => onSet(status, name)}>
              {name}
            </Menu.Item>
          )
        })}
        {settable.length > 0 && <Menu.Label>{t(($) => $.leads.bulk.ownLabels)}</Menu.Label>}
        {settable.map(({ id, name, value }) => (
          <Menu.Item key={id} onClick={() => onSet(value, name)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
