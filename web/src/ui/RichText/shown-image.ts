import Image from '@tiptap/extension-image'
import { isHostless } from '../../lib/html.ts'

/**
 * An image as the reader of the mail will see it. The page's policy lets none in from elsewhere, so it is
 * shown in the frame of mails, which has a policy of its own. Until it is there, or where it cannot be
 * had, its description and its address stand for it.
 */
export const ShownImage = Image.extend({
  addNodeView:
    () =>
    ({ node }) => {
      const { src, alt, width, height } = node.attrs
      const dom = document.createElement('span')
      dom.className = 'shownImage'
      dom.role = 'img'
      dom.ariaLabel = alt || src
      const words = document.createElement('span')
      words.textContent = [alt, src].filter(Boolean).join(' · ')
      const frame = document.createElement('iframe')
      frame.hidden = true
      frame.ariaHidden = 'true'
      frame.tabIndex = -1
      frame.setAttribute('sandbox', 'allow-same-origin')
      frame.src = '/mail-frame'
      // Also when it was moved within the editor, which loads the frame anew.
      frame.addEventListener('load', () => {
        const mail = frame.contentDocument
        if (!mail || isHostless('img', 'src', src)) return
        const image = mail.createElement('img')
        image.addEventListener('load', () => {
          words.hidden = true
          frame.hidden = false
          frame.style.width = `${image.width}px`
          frame.style.aspectRatio = `${image.width} / ${image.height}`
          image.style.cssText = 'display: block; width: 100%; height: auto'
        })
        if (width !== null) image.setAttribute('width', width)
        if (height !== null) image.setAttribute('height', height)
        image.src = src
        mail.body.style.margin = '0'
        mail.body.replaceChildren(image)
      })
      dom.append(words, frame)
      return { dom }
    },
})
