import { useTranslation } from 'react-i18next'

const types = ['user', 'key', 'operator', 'service'] as const

interface Actor {
  actor_type: string | null
  actor_name: string | null
}

/** Who did it, in words: a person or a key without a name is gone. */
export function useActorName() {
  const { t } = useTranslation()
  return ({ actor_type, actor_name }: Actor) => {
    const type = types.find((each) => each === actor_type) ?? 'service'
    return actor_name ?? t(($) => $.audit.actors[type])
  }
}
