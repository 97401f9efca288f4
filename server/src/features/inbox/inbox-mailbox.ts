/** A mailbox whose mail is read. */
export interface InboxMailbox {
  workspace_id: string
  id: string
  address: string
  /** Version of the IMAP settings by which it is read. */
  imap_version: string
}

/** Where a folder was read to. */
export interface CheckpointPosition {
  folder: string
  uid_validity: string
  next_uid: number
  /** All that had come by then is known. */
  read_at: Date
}
