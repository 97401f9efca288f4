// How much script a browser reads before a page of the application works.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const entry = 'index.html'
/** Around every page of somebody who is signed in. */
const shell = 'src/app/shell/Shell.tsx'

/** Of Vite, by source. */
type Manifest = Record<string, { file: string; imports?: string[] }>

interface PageSize {
  page: string
  bytes: number
  files: number
}

/**
 * @param dist the built application
 * @returns the gzipped script of each page on a first visit, and in how many files, the largest first
 */
export function pageSizes(dist: string): PageSize[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'))
  const chunkOf = (name: string) => {
    const chunk = manifest[name]
    if (!chunk) throw new Error(`The build has no ${name}.`)
    return chunk
  }
  const needed = (name: string, found = new Set<string>()) => {
    if (found.has(name)) return found
    found.add(name)
    for (const other of chunkOf(name).imports ?? []) needed(other, found)
    return found
  }
  const bytesOf = (name: string) => statSync(join(dist, `${chunkOf(name).file}.gz`)).size
  return pagesOf(manifest)
    .map((page) => {
      const files = new Set([entry, shell, page].flatMap((name) => [...needed(name)]))
      const bytes = [...files].reduce((sum, name) => sum + bytesOf(name), 0)
      return { page, bytes, files: files.size }
    })
    .sort((a, b) => b.bytes - a.bytes)
}

/** What the router loads when somebody goes there. */
const pagesOf = (manifest: Manifest) =>
  Object.keys(manifest).filter((name) => /^src\/features\/.+Page\.tsx$/.test(name))
