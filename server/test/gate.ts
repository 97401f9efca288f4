/**
 * Lets so many recipients pass; the others wait, so that a process that a test kills still has something
 * to send.
 */
export function gate() {
  const waiting: (() => void)[] = []
  let passed = 0
  let most = 0
  const open = () => {
    for (let next = waiting[0]; next && passed < most; next = waiting[0]) {
      waiting.shift()
      passed += 1
      next()
    }
  }
  return {
    pass(callback: () => void) {
      waiting.push(callback)
      open()
    },
    letPass(count: number) {
      most = count
      open()
    },
  }
}
