import { useLocation } from '@tanstack/react-router'

/**
 * The token of a link that somebody was given (set-up, invitation, password). It is in the fragment, which
 * browsers do not send, so that no server logs it.
 */
export const useToken = (): string => useLocation({ select: ({ hash }) => hash })
