/** Hands a file to the reader, as if it were downloaded. */
export function saveFile(name: string, content: Blob) {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ')
  link.click()
  URL.revokeObjectURL(url)
}
