import { constants } from 'node:fs'
import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { firstShardName } from '../../../config.ts'
import { ifMissing } from '../../../kernel/files.ts'

/** What is known of the database from outside of it. */
export interface LastSeen {
  /** Of the instance. */
  id: string
  epoch: number
  /** The file was copied or put back since it was made, and what lies beside it with it. */
  isCopy: boolean
}

/** Remembers how far the database was, so that one that was put back is noticed. */
export interface LastSeenFile {
  /** The database is put back together with the marker, unless somebody takes them apart. */
  ownsDatabase: boolean
  /** Undefined: it has seen nothing yet. */
  recall: () => Promise<LastSeen | undefined>
  note: (seen: Pick<LastSeen, 'id' | 'epoch'>) => Promise<void>
}

/**
 * A file in DATA_DIR. It says which file it is: a copy of it is another one, whatever made the copy.
 * Written in place, by one write of one length, so that it stays that file and is never half written.
 *
 * @param shard of the databases, each of which has its own
 */
export function markerFile(
  dataDir: string,
  ownsDatabase: boolean,
  shard: string = firstShardName,
): LastSeenFile {
  const path = join(dataDir, shard === firstShardName ? 'sending' : `sending-${shard}`)
  return {
    ownsDatabase,
    async recall() {
      const text = await readFile(path, 'utf8').catch(ifMissing)
      if (text === undefined) return undefined
      const [id = '', epoch = '', inode = '', birth = ''] = text.trim().split(/ +/)
      const { ino, birthtimeNs, ctimeNs } = await stat(path, { bigint: true })
      // Where the time of birth is not kept, that of the last change stands in for it.
      const isReborn = birth !== String(birthtimeNs) && birthtimeNs !== ctimeNs
      return { id, epoch: Number(epoch) || 0, isCopy: inode !== String(ino) || isReborn }
    },
    async note({ id, epoch }) {
      await mkdir(dataDir, { recursive: true, mode: 0o711 })
      await using file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
      const { ino, birthtimeNs } = await file.stat({ bigint: true })
      await file.write(`${`${id} ${epoch} ${ino} ${birthtimeNs}`.padEnd(textLength)}\n`, 0)
      await file.datasync()
    },
  }
}

const textLength = 119
