export {
  canCarryLinks,
  findLinkUrl,
  isPublicAddress,
  type LinkSender,
  linkAddressRemedy,
} from './link-address.ts'
