import { type Command, Option } from 'commander'
import {
  type DirectoryKind,
  type ExportFormat,
  type ExportResult,
  exportFile,
  readStats,
} from '../features/directory/index.ts'
import { kindOption, showingProgress } from './directory-options.ts'
import { type OutputOptions, operate, withOutput } from './operate.ts'
import { formatRecord } from './terminal.ts'

export function exportCommand(directory: Command) {
  withOutput(directory.command('export'))
    .description('Write contacts with their companies, or companies, as an import reads them')
    .argument('<file>', 'compressed when its name ends in .gz')
    .addOption(kindOption('what to write').default('contacts'))
    .addOption(
      new Option(
        '--format <format>',
        'csv or ndjson (default: told by the name of the file)',
      ).choices(['csv', 'ndjson']),
    )
    .action((file: string, options: ExportOptions) =>
      operate(
        options,
        async (ctx) => {
          const { [options.kind]: whole } = await readStats(ctx)
          return await showingProgress(ctx, options, (show) =>
            exportFile(ctx, file, {
              kind: options.kind,
              format: options.format ?? formatOf(file),
              onProgress: (rows) => show({ what: 'rows', count: rows, done: rows, whole }),
            }),
          )
        },
        showExport,
      ),
    )
}

interface ExportOptions extends OutputOptions {
  kind: DirectoryKind
  format?: ExportFormat
}

const formatOf = (file: string): ExportFormat =>
  /\.(?:ndjson|jsonl|json)(?:\.gz)?$/i.test(file) ? 'ndjson' : 'csv'

const showExport = (result: ExportResult) => formatRecord({ ...result })
