import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepEarlierAssets } from '../../scripts/earlier-assets.ts'

const dayMs = 86_400_000

test('what an open page may still ask for is kept for a month after the last build that had it', () => {
  const root = mkdtempSync(join(tmpdir(), 'outrider-builds-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  let dist = join(root, 'none')
  const build = (day: number, ...names: string[]) => {
    const fresh = join(root, String(day))
    mkdirSync(join(fresh, 'assets'), { recursive: true })
    for (const name of [...names, ...names.map((each) => `${each}.br`)]) {
      writeFileSync(join(fresh, 'assets', name), name)
    }
    keepEarlierAssets(dist, fresh, Date.UTC(2026, 2, 2) + day * dayMs)
    dist = fresh
    return readdirSync(join(dist, 'earlier')).toSorted()
  }
  expect(build(0, 'main-1.js', 'inbox-1.js')).toEqual([])
  expect(build(10, 'main-2.js', 'inbox-1.js')).toEqual(['main-1.js'])
  expect(readFileSync(join(dist, 'earlier/main-1.js'), 'utf8')).toBe('main-1.js')
  expect(build(20, 'main-3.js', 'inbox-2.js')).toEqual(['inbox-1.js', 'main-1.js', 'main-2.js'])
  // Main-1 was replaced on the tenth day, the others on the twentieth; main-2 is used again.
  expect(build(45, 'main-2.js')).toEqual(['inbox-1.js', 'inbox-2.js', 'main-3.js'])
  expect(build(60, 'main-2.js')).toEqual(['inbox-2.js', 'main-3.js'])
})

test('a build goes on without what another one takes away while it is being kept', () => {
  const root = mkdtempSync(join(tmpdir(), 'outrider-builds-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [dist, fresh] = [join(root, 'dist'), join(root, 'fresh')]
  for (const folder of ['dist/assets', 'dist/earlier', 'fresh/assets']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const folder of ['assets', 'earlier']) {
    // In the list, and gone when it is read.
    symlinkSync(join(root, 'nowhere'), join(dist, folder, `a-${folder}.js`))
    writeFileSync(join(dist, folder, `b-${folder}.js`), '')
  }
  keepEarlierAssets(dist, fresh)
  expect(readdirSync(join(fresh, 'earlier')).toSorted()).toEqual(['b-assets.js', 'b-earlier.js'])
})
