import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import {
  archiveLabel,
  createLabel,
  type Label,
  type LabelEffect,
  type LabelSentiment,
  labelEffects,
  labelSentiments,
  listLabels,
  updateLabel,
} from '../features/labels/index.ts'
import { parseId, parseName } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { oneOf } from './options.ts'
import { formatRecord, formatTable } from './terminal.ts'

export function labelCommands(program: Command) {
  const labels = program.command('labels').description('Custom interest labels of leads')

  withWorkspace(labels.command('create'))
    .description('Create a label, or bring back an archived one of this name')
    .requiredOption('--name <name>', 'its name', parseName)
    .addOption(
      oneOf(
        '--effect <effect>',
        'what setting it does to sending (none, or what it did before)',
        labelEffects,
      ),
    )
    .addOption(
      oneOf(
        '--sentiment <sentiment>',
        'what it says of the lead (neutral, or what it said before)',
        labelSentiments,
      ),
    )
    .action((options: CreateOptions) => {
      const { name, effect, sentiment } = options
      return operateIn(
        options,
        (ctx, workspaceId) => createLabel(ctx, workspaceId, { name, effect, sentiment }, operator),
        showLabel,
      )
    })

  withWorkspace(labels.command('list'))
    .description('List the labels')
    .option('--archived', 'archived ones too')
    .action((options: WorkspaceOptions & { archived?: boolean }) => {
      const { archived = false } = options
      return operateIn(
        options,
        async (ctx, workspaceId) => ({
          items: await listLabels(ctx.db, workspaceId, { archived }),
        }),
        ({ items }) =>
          formatTable(
            ['id', 'name', 'value', 'effect', 'sentiment', 'archived'],
            items.map((label) => Object.values(summary(label))),
          ),
      )
    })

  withWorkspace(labels.command('rename'))
    .description('Give a label another name; its value, which integrations know, stays')
    .argument('<id>', 'id of the label', parseId)
    .requiredOption('--name <name>', 'the new name', parseName)
    .action((id: string, options: WorkspaceOptions & { name: string }) =>
      operateIn(
        options,
        (ctx, workspaceId) => updateLabel(ctx, workspaceId, id, { name: options.name }, operator),
        showLabel,
      ),
    )

  withWorkspace(labels.command('archive'))
    .description('Stop a label from being set; leads and subscriptions that have it keep it')
    .argument('<id>', 'id of the label', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => archiveLabel(ctx, workspaceId, id, operator),
        showLabel,
      ),
    )
}

type CreateOptions = WorkspaceOptions & {
  name: string
  effect: LabelEffect
  sentiment: LabelSentiment
}

const showLabel = (label: Label) => formatRecord(summary(label))

const summary = (label: Label) => ({
  id: label.id,
  name: label.name,
  value: label.value,
  effect: label.effect,
  sentiment: label.sentiment,
  archived: label.timestamp_archived,
})
