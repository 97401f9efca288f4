// Writes server/npm-shrinkwrap.json when the server is packed: of the lock of the repository what the
// server needs to run, so that what is unpacked alone installs the same versions.
import { readFileSync, writeFileSync } from 'node:fs'

interface Package {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Package> } & Record<string, unknown>

const { packages, ...head }: Lock = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
)
const manifest = JSON.parse(
  readFileSync(new URL('../server/package.json', import.meta.url), 'utf8'),
)
const { devDependencies: _dev, ...server } = manifest
const locked: Record<string, Package> = { '': server }
follow('server', server)
const lock = { ...head, name: manifest.name, version: manifest.version, packages: locked }
writeFileSync(
  new URL('../server/npm-shrinkwrap.json', import.meta.url),
  `${JSON.stringify(lock, null, 2)}\n`,
)

/** Takes over what a package needs, and what that needs. */
function follow(from: string, { dependencies, optionalDependencies }: Package) {
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const lockPath = lockPathOf(name, from)
    // Another platform's, which the lock leaves out.
    if (lockPath === undefined) continue
    const found = packages[lockPath] as Package
    const moved = lockPath.replace(/^server\//, '')
    if (locked[moved] === found) continue
    if (locked[moved]) throw new Error(`Two versions of ${moved} are needed: install anew.`)
    locked[moved] = found
    follow(lockPath, found)
  }
}

/** Of the package that Node would find. */
function lockPathOf(name: string, from: string): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))
  ) {
    const lockPath = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[lockPath]) return lockPath
    if (folder === '' || folder === 'server')
      return packages[`node_modules/${name}`] && `node_modules/${name}`
  }
}
