import { type Command, InvalidArgumentError } from 'commander'
import {
  type ColumnMap,
  type DirectoryKind,
  fieldNames,
  type ImportProgress,
  type ImportResult,
  importFile,
  parseColumnMap,
} from '../features/directory/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { askInTurnBySession, kindOption, showingProgress } from './directory-options.ts'
import { type OutputOptions, operate, withOutput } from './operate.ts'
import type { Step } from './progress-bar.ts'
import { formatRecord } from './terminal.ts'

export function importCommand(directory: Command) {
  withOutput(directory.command('import'))
    .description('Import contacts or companies: CSV or NDJSON, plain or gzip')
    .argument('<file>', 'an import of it that was interrupted is taken up again')
    .option('--map <header=field>', 'what a column is; may be repeated', collectMap)
    .addOption(kindOption('what the file has (default: told by its columns)'))
    .option('--encoding <label>', 'such as windows-1252 or utf-16le', parseEncoding, 'utf-8')
    .option('--report <file>', 'for the rejected rows (default: FILE.rejected.csv)')
    .addHelpText('after', `\nFields:\n  ${fieldNames.join(', ')}`)
    .action((file: string, options: ImportOptions) =>
      operate(
        options,
        async (ctx) => {
          const [first] = await askInTurnBySession(ctx, (shard) =>
            showingProgress(shard, options, (show) =>
              importFile(shard, file, {
                map: options.map ?? new Map(),
                kind: options.kind,
                encoding: options.encoding,
                report: reportOf(options.report ?? `${file}.rejected.csv`, shard),
                onProgress: (progress) => show(stepOf(progress)),
              }),
            ),
          )
          return first
        },
        showImport,
      ),
    )
}

/** An import that is taken up again goes on with the report of its own database. */
const reportOf = (report: string, { shards, shard }: ProcessContext) =>
  !shards || shard === shards.first.name ? report : `${report}.${shard}`

interface ImportOptions extends OutputOptions {
  map?: ColumnMap
  kind?: DirectoryKind
  encoding: string
  report?: string
}

function collectMap(text: string, before: ColumnMap = new Map()) {
  try {
    return new Map([...before, ...parseColumnMap([text])])
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw new InvalidArgumentError('It must be an encoding, such as windows-1252 or utf-16le.')
  }
}

const stepOf = ({ rows, bytesRead, bytes }: ImportProgress): Step => ({
  what: 'rows',
  count: rows,
  done: bytesRead,
  whole: bytes,
})

const showImport = ({ ignored_columns, ...result }: ImportResult) =>
  formatRecord({ ...result, ignored_columns: ignored_columns.join(', ') })
