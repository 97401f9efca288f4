import { Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { zonesNamed, zonesWith } from './zones.ts'

interface ZoneFieldProps {
  value: string
  readOnly: boolean
  problem: string | undefined
  onChange: (zone: string) => void
}

/** A zone by its name, or by that of a city or a country in it. */
export function ZoneField({ value, readOnly, problem, onChange }: ZoneFieldProps) {
  const { t } = useTranslation()
  const zones = useMemo(() => zonesWith(value), [value])
  // What somebody left behind without choosing one: the field shows the zone from before again.
  const [left, setLeft] = useState<string>()
  return (
    <Select
      label={t(($) => $.campaigns.schedule.zone)}
      searchable
      allowDeselect={false}
      w="16rem"
      readOnly={readOnly}
      nothingFoundMessage={t(($) => $.campaigns.schedule.noZone)}
      data={zones}
      filter={({ search }) => zonesNamed(search, zones).slice(0, 100).map(toOption)}
      value={value}
      error={
        problem ??
        (left !== undefined &&
          t(($) => $.campaigns.schedule.zoneStays, { typed: left, zone: value }))
      }
      onBlur={({ currentTarget: { value: typed } }) =>
        setLeft(typed.trim() === '' || typed === value ? undefined : typed)
      }
      onChange={(zone) => {
        setLeft(undefined)
        if (zone) onChange(zone)
      }}
    />
  )
}

const toOption = (zone: string) => ({ value: zone, label: zone })
