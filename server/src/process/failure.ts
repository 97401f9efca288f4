import { isStorageFull } from '../kernel/db/failure.ts'
import { AppError } from '../kernel/errors.ts'
import { StartFailure } from '../kernel/postgres/index.ts'

/** For the operator at a terminal: sentences for what was to be expected, the stack for a bug. */
export function explainFailure(error: unknown): string {
  if (error instanceof AppError) {
    const others = (error.details ?? []).filter(({ message }) => message !== error.message)
    return [error.message, ...others.map(({ message }) => message)].join('\n')
  }
  if (error instanceof StartFailure) return error.message
  const { name, message, stack, code, path, syscall } = error as NodeJS.ErrnoException
  if (isStorageFull(error)) return `${message}: make room on the disk of the database.`
  // So Node answers where a folder was to be made on a disk that is read-only.
  if (code === 'ENOENT' && syscall === 'mkdir') {
    return `The folder ${path} cannot be made: set DATA_DIR to a directory that can be written.`
  }
  if (code === 'ENOENT' && path) return `There is no file or folder ${path}.`
  if (code === 'EISDIR') return `${path ?? 'It'} is a folder, not a file.`
  if (code === 'EACCES') return `${message}: run this as the user who owns it, or set DATA_DIR.`
  if (code === 'EROFS') return `${message}: set DATA_DIR to a directory that can be written.`
  if (code === 'ENOTDIR')
    return `${message}: a part of this path is a file; set DATA_DIR to a directory.`
  // A write to an open file names it in `path` alone.
  const place = path && !message.includes(path) ? `${message} '${path}'` : message
  if (code === 'ENOSPC' || code === 'EDQUOT') return `${place}: make room on that disk.`
  if (code === 'EFBIG') {
    return `${place}: neither its disk nor "ulimit -f" of this user may keep files from growing.`
  }
  return name === 'Error' ? message : (stack ?? message)
}
