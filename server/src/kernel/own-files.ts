import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Of the server's package, wherever in it this module is: among the sources, or in what is built of them. */
const manifest = pathToFileURL(findPackageJSON(import.meta.url) ?? '')

/** A file of the server's package that is no module, like `migrations/` or `openapi.json`. */
export const packageFile = (path: string): URL => new URL(path, manifest)

/** The name of the build that this module is a part of; undefined among the sources. */
const build = import.meta.url.startsWith(packageFile('built/').href)
  ? import.meta.url.slice(packageFile('built/').href.length).split('/')[0]
  : undefined

/**
 * A module that runs in a worker thread. The build makes a file of each whose name ends in `-worker`.
 *
 * @param path below `src`, without its extension
 */
export const workerModule = (path: string): URL =>
  packageFile(build === undefined ? `src/${path}.ts` : `built/${build}/${path}.js`)
