import { AppError } from '../kernel/errors.ts'

/** For the operator at a terminal: sentences for what was to be expected, the stack for a bug. */
export function explainFailure(error: unknown): string {
  if (error instanceof AppError) {
    const others = (error.details ?? []).filter(({ message }) => message !== error.message)
    return [error.message, ...others.map(({ message }) => message)].join('\n')
  }
  const { name, message, stack, code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path) return `There is no file or folder ${path}.`
  if (code === 'EISDIR') return `${path ?? 'It'} is a folder, not a file.`
  if (code === 'EACCES') return `${message}: run this as the user who owns it, or set DATA_DIR.`
  return name === 'Error' ? message : (stack ?? message)
}
