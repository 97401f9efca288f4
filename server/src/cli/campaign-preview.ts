import type { Command } from 'commander'
import { type Preview, previewStep } from '../features/previews/index.ts'
import { AppError } from '../kernel/errors.ts'
import { parseAtLeastOne, parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatRecord } from './terminal.ts'

interface PreviewOptions extends WorkspaceOptions {
  lead: string
  step?: number
  source?: boolean
}

export function previewCommand(campaigns: Command) {
  withWorkspace(campaigns.command('preview'))
    .description('Show a mail as a lead gets it; nothing is sent')
    .argument('<id>', 'id of the campaign', parseId)
    .requiredOption('--lead <address>', 'address of the lead')
    .option('--step <number>', 'from 1; without it the next one of the lead', parseAtLeastOne)
    .option('--source', 'the whole mail as it goes over the wire')
    .action((id: string, options: PreviewOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) =>
          shown(
            await previewStep(ctx, workspaceId, id, { email: options.lead, step: options.step }),
          ),
        (preview) => (options.source ? preview.source : formatPreview(preview)),
      ),
    )
}

type Shown = ReturnType<typeof shown>

/** @throws AppError with the reason why the lead would be skipped */
function shown({ mail, refusal, ...about }: Preview) {
  if (!mail) {
    throw new AppError(
      'not_ready',
      `Step ${about.step} is not sent to this lead. ${refusal?.message}`,
    )
  }
  const { bytes, from, recipients, subject, text, html, sizeBytes, needsUtf8 } = mail
  return {
    ...{ ...about, from, recipients, subject, text, html },
    ...{ size_bytes: sizeBytes, needs_smtputf8: needsUtf8, source: bytes.toString() },
  }
}

function formatPreview(preview: Shown): string {
  const [to, ...copies] = preview.recipients
  const head = formatRecord({
    step: preview.step,
    variant: preview.variant,
    from: preview.from,
    to,
    ...(copies.length > 0 && { 'copies to': copies.join(', ') }),
    subject: preview.subject,
    format: preview.html === null ? 'text' : 'HTML and text',
    size: `${preview.size_bytes} bytes`,
  })
  // What a lead was called must not move the cursor or change the colours.
  const warnings = preview.warnings.map((warning) => `\n${warning}`).join('')
  return `${head}${warnings}\n\n${preview.text.replaceAll(/[^\P{Cc}\n\t]/gu, '�')}`
}
