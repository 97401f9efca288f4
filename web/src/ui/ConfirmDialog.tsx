import { type ComponentProps, Suspense } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'

const ConfirmModal = lazyPart(() => import('./ConfirmModal.tsx'), 'ConfirmModal')

/** For what cannot be undone; all else is done at once and offers an undo. It is there while it is asked. */
export const ConfirmDialog = (props: ComponentProps<typeof ConfirmModal>) => (
  <Suspense>
    <ConfirmModal {...props} />
  </Suspense>
)
