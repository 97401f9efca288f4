/**
 * Of a campaign, in SQL: who claims its mails shares this lock, and who deletes or moves its leads, or has
 * a mail sent again, has it alone, so that no lead goes, or goes back, whose mail is just being claimed. Claims of many workspaces are one
 * transaction and do not wait for it: what they do not get is planned again.
 */
export const claimsLock = (campaignId: string) =>
  `hashtextextended('claims ' || ${campaignId}::text, 0)`
