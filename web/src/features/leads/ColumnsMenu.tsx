import { Button, Menu } from '@mantine/core'
import { Columns3 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type ColumnId, columnIds } from './columns.tsx'

interface ColumnsMenuProps {
  chosen: ColumnId[]
  onChange: (chosen: ColumnId[]) => void
}

export function ColumnsMenu({ chosen, onChange }: ColumnsMenuProps) {
  const { t } = useTranslation()
  const toggle = (id: ColumnId) =>
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          className="wide-only"
          leftSection={<Columns3 size="1rem" aria-hidden />}
        >
          {t(($) => $.leads.columnsMenu)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columnIds.map((id) => (
          <Menu.CheckboxItem key={id} checked={chosen.includes(id)} onChange={() => toggle(id)}>
            {t(($) => $.leads.columns[id])}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
