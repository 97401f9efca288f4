import type { Label } from '../../api/generated/types.gen.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

export const sentimentTones: Record<Label['sentiment'], Tone> = {
  positive: 'green',
  neutral: 'gray',
  negative: 'red',
}
