import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type ColumnMap,
  type ImportProgress,
  type ImportResult,
  importFile,
  parseColumnMap,
} from '../features/directory/index.ts'
import { type OutputOptions, operate, withOutput } from './operate.ts'
import { openProgressBar, type Step } from './progress-bar.ts'
import { formatRecord } from './terminal.ts'

export function directoryCommands(program: Command) {
  const directory = program
    .command('directory')
    .description('The contacts and companies that workspaces search')

  withOutput(directory.command('import'))
    .description('Import contacts or companies: CSV or NDJSON, plain or gzip')
    .argument('<file>', 'what to import; an import that was interrupted is taken up again')
    .option('--map <header=field>', 'what a column is, may be repeated', collectMap)
    .addOption(kindOption('what the file has; without it the columns tell'))
    .option('--encoding <label>', 'such as windows-1252 or utf-16le', parseEncoding, 'utf-8')
    .option('--report <file>', 'for the rejected rows (default: FILE.rejected.csv)')
    .action((file: string, options: ImportCommandOptions) =>
      operate(
        options,
        async (ctx) => {
          using progress = openProgress(options, ctx.monotonicMs)
          return await importFile(ctx, file, {
            map: options.map ?? new Map(),
            kind: options.kind,
            encoding: options.encoding,
            report: options.report ?? `${file}.rejected.csv`,
            onProgress: (step) => progress.show(stepOf(step)),
          })
        },
        showImport,
      ),
    )
}

interface ImportCommandOptions extends OutputOptions {
  map?: ColumnMap
  kind?: 'contacts' | 'companies'
  encoding: string
  report?: string
}

const kindOption = (description: string) =>
  new Option('--kind <kind>', description).choices(['contacts', 'companies'])

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

/** Nobody looks at it where the output is read by a program. */
function openProgress(options: OutputOptions, monotonicMs: () => number) {
  const isShown = !options.json && process.stderr.isTTY
  return openProgressBar(monotonicMs, (text) => void (isShown && process.stderr.write(text)))
}

const stepOf = ({ rows, bytesRead, bytes }: ImportProgress): Step => ({
  rows,
  done: bytesRead,
  whole: bytes,
})

const showImport = ({ ignored_columns, ...result }: ImportResult) =>
  formatRecord({ ...result, ignored_columns: ignored_columns.join(', ') })
