import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { packageFile } from '../src/kernel/own-files.ts'

/** What npm writes of what it has installed. */
const installed = 'node_modules/.package-lock.json'

/** A server's package with the real launcher, whose programs say whether they are the sources or built. */
async function makePackage() {
  const root = await mkdtemp(join(tmpdir(), 'outrider-launcher-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const server = join(root, 'server')
  await cp(fileURLToPath(packageFile('bin')), join(server, 'bin'), { recursive: true })
  await mkdir(join(server, 'src/features'), { recursive: true })
  await mkdir(join(root, 'scripts'))
  await writeFile(join(root, 'scripts/build-server.ts'), '')
  await mkdir(join(root, 'node_modules'))
  await writeFile(join(root, installed), '{}')
  await writeFile(join(server, 'package.json'), '{"type":"module"}')
  await writeFile(join(server, 'v8-flags.json'), '{}')
  await writeFile(join(server, 'src/cli.ts'), 'console.log("sources" as string)')
  await writeFile(join(server, 'src/features/leads.ts'), '')
  const { describeSources } = await import(pathToFileURL(join(server, 'bin/sources.mjs')).href)
  /** What a build leaves behind when it has ended. */
  const build = async () => {
    const folder = join(server, 'built', describeSources())
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'cli.js'), 'console.log("built")')
    return folder
  }
  const run = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[join(server, 'bin/outrider.mjs'), 'keys'],
    ])
    return stdout.trim()
  }
  return { root, server, build, run }
}

test('what was built runs, and what runs is always what the sources and libraries beside it say', async () => {
  const { root, server, build, run } = await makePackage()
  expect(await run()).toBe('sources')
  await build()
  expect(await run()).toBe('built')

  const changes = [
    () => writeFile(join(server, 'src/features/leads.ts'), '1'),
    () => writeFile(join(server, 'src/features/leads.ts'), '2'),
    () => writeFile(join(server, 'src/features/new.ts'), ''),
    () => rename(join(server, 'src/features/new.ts'), join(server, 'src/new.ts')),
    () => writeFile(join(root, installed), '[]'),
    () => writeFile(join(root, 'scripts/build-server.ts'), '// mended'),
  ]
  for (const change of changes) {
    await change()
    expect(await run()).toBe('sources')
    await build()
    expect(await run()).toBe('built')
  }
})

test('what lies beside the sources and is none keeps no command from running', async () => {
  const { server, build, run } = await makePackage()
  await build()
  await writeFile(join(server, 'src/features/leads.test.ts'), '')
  // An editor's mark of a file that is open.
  await symlink('somebody@somewhere.1', join(server, 'src/features/.#leads.ts'))
  expect(await run()).toBe('built')
})

test('in an unpacked archive the newest build runs, whatever lies beside it', async () => {
  const { root, server, build, run } = await makePackage()
  const folder = await build()
  await writeFile(join(server, 'built/newest'), basename(folder))
  for (const name of ['0000000000000000', 'ffffffffffffffff']) {
    await mkdir(join(server, 'built', name))
    await writeFile(join(server, 'built', name, 'cli.js'), 'console.log("old")')
  }
  await rm(join(server, 'src'), { recursive: true })
  await rm(join(root, installed))
  expect(await run()).toBe('built')
})
