/** A browser that is busy reads the address after the click, and without it neither name nor file. */
const readWithinMs = 60_000

/** Hands a file to the reader, as if it were downloaded. */
export function saveFile(name: string, content: Blob) {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ')
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), readWithinMs)
}
