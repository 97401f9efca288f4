/** The palette is loaded after the page, with what only it needs. */
export const openPalette = () => import('./CommandPalette.tsx').then(({ open }) => open())
