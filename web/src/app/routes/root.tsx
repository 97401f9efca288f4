import { createRootRoute, Outlet } from '@tanstack/react-router'
import { NotFound } from '../NotFound.tsx'

// A `validateSearch` returns undefined for what it does not accept: a parameter that it left out would
// stay in the address.
export const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
})
