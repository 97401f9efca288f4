/** Hands a file to the reader, as if it were downloaded. */
export function saveFile(name: string, type: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ')
  link.click()
  URL.revokeObjectURL(url)
}
