import { useTranslation } from 'react-i18next'
import type { Import } from '../../api/generated/types.gen.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'

const tones: Record<Import['state'], Tone> = {
  ...{ uploading: 'amber', ready: 'blue', checking: 'blue', checked: 'blue', running: 'green' },
  ...{ finished: 'gray', cancelled: 'gray', failed: 'red' },
}

export function ImportState({ state }: Pick<Import, 'state'>) {
  const { t } = useTranslation()
  return <StateBadge tone={tones[state]}>{t(($) => $.imports.states[state])}</StateBadge>
}
