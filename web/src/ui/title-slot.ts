import { createContext } from 'react'

/** Beside the title of the page, for a list further down in it that knows how many there are. */
export const TitleSlot = createContext<HTMLElement | null>(null)
