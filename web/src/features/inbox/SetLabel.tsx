import { Button, Input, Kbd, Menu } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useLabelChoices, useStatusName } from '../labels/index.ts'

interface SetLabelProps {
  status: string
  onSet: (status: string) => void
}

/** What the lead is to people; the menu names the keys that set it without a menu. */
export function SetLabel({ status, onSet }: SetLabelProps) {
  const { t } = useTranslation()
  const nameOf = useStatusName()
  const { choices, keys, query } = useLabelChoices()
  const label = t(($) => $.inbox.lead.label)
  return (
    <Input.Wrapper size="xs" label={label} labelElement="div">
      <Menu position="bottom-start" width="target">
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            fullWidth
            justify="space-between"
            aria-label={`${label}: ${nameOf(status)}`}
            rightSection={<ChevronDown size="0.875rem" aria-hidden />}
          >
            {nameOf(status)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
          <QueryFault query={query} />
          {choices.map((value, at) => (
            <Menu.Item
              key={value}
              rightSection={
                at < keys && (
                  <Kbd size="xs" aria-hidden>
                    {at + 1}
                  </Kbd>
                )
              }
              onClick={() => onSet(value)}
            >
              {nameOf(value)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Input.Wrapper>
  )
}
