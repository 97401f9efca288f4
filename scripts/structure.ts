// Checks what no linter looks at: that a feature of the server or of the pages reaches another through its
// index.ts, that each table is written by one feature, and that what is said above a declaration of the server
// names its subject.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')

interface Source {
  /** From the root of the repository. */
  path: string
  text: string
  /** Files of the repository, types and dynamic imports included. */
  imports: string[]
}

function readSources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|\.gen\.ts$|node_modules/.test(name))
    .map((name) => {
      const path = join(folder, name)
      const text = readFileSync(join(root, path), 'utf8')
      const imports = ts
        .preProcessFile(text, true, true)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((name) => name.startsWith('.'))
        .map((name) => relative(root, resolve(root, dirname(path), name)))
      return { path, text, imports }
    })
}

const featureOf = (path: string) => /^(?:server|web)\/src\/features\/([^/]+)\//.exec(path)?.[1]

function importsPastIndex(files: Source[]): string[] {
  return files.flatMap(({ path, imports }) => {
    const feature = featureOf(path)
    if (feature === undefined) return []
    return imports
      .filter((other) => ![undefined, feature].includes(featureOf(other)))
      .filter((other) => !other.endsWith('/index.ts'))
      .map((other) => `${path} imports ${other}: reach another feature through its index.ts.`)
  })
}

/**
 * What may own tables: a feature, or the kernel. Erasing a person writes to whatever holds one, by
 * decision 27, and owns nothing.
 */
function ownerAt(path: string): string | undefined {
  if (!path.startsWith('server/')) return undefined
  const feature = featureOf(path) ?? (path.startsWith('server/src/kernel/') ? 'kernel' : undefined)
  return feature === 'erasure' ? undefined : feature
}

const writing =
  /\b(?:insert\s+into|update|delete\s+from|truncate|copy)\s+(?:only\s+)?([a-z_]+)\b|\.(?:insertInto|updateTable|deleteFrom)\(\s*'([a-z_]+)/g

function sharedTables(files: Source[]): string[] {
  const generated = readFileSync(join(root, 'server/src/kernel/db/types.gen.ts'), 'utf8')
  const declared = /export interface DB \{([^}]+)\}/.exec(generated)?.[1] ?? ''
  const tables = new Set([...declared.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name as string))
  const writers = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    const owner = ownerAt(path)
    if (owner === undefined) continue
    // Comments speak of tables, too.
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
    for (const [, written, built] of code.matchAll(writing)) {
      const table = written ?? (built as string)
      if (tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(owner))
    }
  }
  return [...writers]
    .filter(([, owners]) => owners.size > 1)
    .map(
      ([table, owners]) =>
        `The table ${table} is written by ${[...owners].sort().join(' and ')}: let one feature write it, and the others call that one.`,
    )
}

/** Such a sentence goes on with one that stands elsewhere, or nowhere. */
const withoutSubject = /\/\*\*\s+(?:\* )?(It|They|Those|The same|Also|Else)\b/g

const namelessSubjects = (files: Source[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('server/src/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(withoutSubject)].map(
        ({ index, 1: word }) =>
          `${path}:${text.slice(0, index).split('\n').length} begins with "${word}": name what the sentence is about.`,
      ),
    )

const sources = ['server/src', 'web/src', 'bench', 'scripts'].flatMap(readSources)
const problems = [
  ...importsPastIndex(sources),
  ...sharedTables(sources),
  ...namelessSubjects(sources),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
