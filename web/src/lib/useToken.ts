import { useLocation } from '@tanstack/react-router'

/** Of a link that is sent to somebody. Behind the #, so that no server and no log ever sees it. */
export const useToken = (): string => useLocation({ select: ({ hash }) => hash })
