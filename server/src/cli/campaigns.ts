import type { Command } from 'commander'
import { previewCommand } from './campaign-preview.ts'

export function campaignCommands(program: Command) {
  const campaigns = program.command('campaigns').description('Campaigns and what they send')
  previewCommand(campaigns)
}
