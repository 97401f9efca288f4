import { answerAsked } from '../../../kernel/worker-side.ts'
import { type Attached, attachedAt } from '../classify/message.ts'
import { keepBytesOfParts } from '../classify/part-bytes.ts'
import type { WholeMail } from './attachment.ts'

/* The worker that takes what is attached out of mails. `fetchAttachment` is the other side. */

keepBytesOfParts()
await answerAsked<WholeMail, Attached | undefined>(({ source, index }) =>
  attachedAt(Buffer.from(source.buffer, source.byteOffset, source.length), index),
)
