export {
  canCarryLinks,
  copyLinkAddress,
  findLinkUrl,
  isPublicAddress,
  keepGivenAddress,
  keepListenerAddress,
  type LinkSender,
  linkAddressRemedy,
  reportContradiction,
} from './link-address.ts'
export { findLinkAddress } from './queries.ts'
