import { Menu, UnstyledButton } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './FilterChip.module.css'

interface FilterChipProps {
  label: string
  options: { value: string; label: string }[]
  /** Parted by commas where several may be chosen. */
  value: string | undefined
  isMultiple?: boolean
  onChange: (value: string | undefined) => void
  /** Why an option is missing. */
  children?: ReactNode
}

/** A filter, with what it lets through written on it. */
export function FilterChip(props: FilterChipProps) {
  const { label, options, value, isMultiple, onChange, children } = props
  const { t } = useTranslation()
  const chosen = value?.split(',') ?? []
  const names = chosen.map((each) => options.find((option) => option.value === each)?.label ?? each)
  const toggle = (each: string) => {
    const others = chosen.filter((one) => one !== each)
    if (!isMultiple) return onChange(chosen.includes(each) ? undefined : each)
    const next = chosen.includes(each) ? others : [...chosen, each]
    onChange(next.length > 0 ? next.join(',') : undefined)
  }
  return (
    <Menu position="bottom-start" closeOnItemClick={!isMultiple}>
      <Menu.Target>
        <UnstyledButton className={classes.chip} data-chosen={value !== undefined || undefined}>
          <span>{names.length > 0 ? `${label}: ${names.join(', ')}` : label}</span>
          <ChevronDown size="0.875rem" aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.options}>
        {children}
        {options.map((option) => (
          <Menu.CheckboxItem
            key={option.value}
            checked={chosen.includes(option.value)}
            closeMenuOnClick={!isMultiple}
            onChange={() => toggle(option.value)}
          >
            {option.label}
          </Menu.CheckboxItem>
        ))}
        {value !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onChange(undefined)}>{t(($) => $.common.anything)}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
