/** What somebody wrote, and what they quote below it. */
export function splitQuote(text: string): { own: string; quoted: string } {
  const lines = text.trimEnd().split(/\r?\n/)
  const lastOwn = lines.findLastIndex((line) => !/^\s*(>|$)/.test(line))
  const hasQuote = lines.slice(lastOwn + 1).some((line) => /^\s*>/.test(line))
  if (!hasQuote) return { own: text.trim(), quoted: '' }
  // "On Monday Anna wrote:" belongs to what it introduces, in whatever language.
  const introduces = /:\s*$/.test(lines[lastOwn] ?? '')
  const end = introduces ? lastOwn : lastOwn + 1
  return {
    own: lines.slice(0, end).join('\n').trim(),
    quoted: lines.slice(end).join('\n').trim(),
  }
}
