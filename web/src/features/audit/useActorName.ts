import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../api/generated/types.gen.ts'

const types = ['user', 'key', 'operator', 'service'] as const

/** Who did it, in words: a person or a key without a name is gone. */
export function useActorName() {
  const { t } = useTranslation()
  return ({ actor_type, actor_name }: Pick<AuditEntry, 'actor_type' | 'actor_name'>) => {
    const type = types.find((each) => each === actor_type) ?? 'service'
    return actor_name ?? t(($) => $.audit.actors[type])
  }
}
