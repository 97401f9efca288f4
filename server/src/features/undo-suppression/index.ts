export { type UndoneSuppression, undoSuppression } from './undo.ts'
