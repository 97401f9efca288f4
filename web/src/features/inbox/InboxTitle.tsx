import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { countThreadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

const name = 'Outrider'

/** How many conversations wait, in the title of the tab, on whatever page one is. */
export default function InboxTitle() {
  const waiting = useQuery(countThreadsOptions()).data?.waiting ?? 0
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name
    return () => {
      document.title = name
    }
  }, [waiting])
  return null
}
