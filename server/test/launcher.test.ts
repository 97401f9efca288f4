import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { packageFile } from '../src/kernel/own-files.ts'

/** A server's package with the real launcher, whose programs say whether they are the sources or built. */
async function makePackage() {
  const root = await mkdtemp(join(tmpdir(), 'outrider-launcher-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const server = join(root, 'server')
  await cp(fileURLToPath(packageFile('bin')), join(server, 'bin'), { recursive: true })
  for (const folder of ['src/features', 'built']) {
    await mkdir(join(server, folder), { recursive: true })
  }
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(server, 'package.json'), '{"type":"module"}')
  await writeFile(join(server, 'v8-flags.json'), '{}')
  await writeFile(join(server, 'src/cli.ts'), 'console.log("sources" as string)')
  await writeFile(join(server, 'src/features/leads.ts'), '')
  await writeFile(join(server, 'built/cli.js'), 'console.log("built")')
  /** What a build leaves behind when it has ended. */
  const build = async () => {
    const { describeSources } = await import(pathToFileURL(join(server, 'bin/sources.mjs')).href)
    await writeFile(join(server, 'built/.stamp'), describeSources())
  }
  const run = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[join(server, 'bin/outrider.mjs'), 'keys'],
    ])
    return stdout.trim()
  }
  return { root, server, build, run }
}

test('what was built runs, and what runs is never older than the sources and libraries beside it', async () => {
  const { root, server, build, run } = await makePackage()
  expect(await run()).toBe('sources')
  await build()
  expect(await run()).toBe('built')

  const yesterday = new Date(Date.now() - 86_400_000)
  const changes = [
    () => writeFile(join(server, 'src/features/leads.ts'), '// longer'),
    // As a checkout of an older version leaves it.
    () => utimes(join(server, 'src/features/leads.ts'), yesterday, yesterday),
    () => writeFile(join(server, 'src/features/new.ts'), ''),
    () => rm(join(server, 'src/features/new.ts')),
    () => writeFile(join(root, 'package-lock.json'), '{ }'),
  ]
  for (const change of changes) {
    await change()
    expect(await run()).toBe('sources')
    await build()
    expect(await run()).toBe('built')
  }
})

test('a build that was cut off is not run', async () => {
  const { server, build, run } = await makePackage()
  await build()
  await rm(join(server, 'built/.stamp'))
  expect(await run()).toBe('sources')
})

test('without sources and a lock, as in an installed package, what was built runs', async () => {
  const { root, server, build, run } = await makePackage()
  await build()
  await rm(join(server, 'src'), { recursive: true })
  await rm(join(root, 'package-lock.json'))
  expect(await run()).toBe('built')
})
