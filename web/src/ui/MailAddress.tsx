import classes from './MailAddress.module.css'

/** An address or a domain, which breaks at no other place than before its @; what is too long is cut. */
export function MailAddress({ value }: { value: string }) {
  const at = Math.max(0, value.lastIndexOf('@'))
  return (
    <span className={classes.address} title={value}>
      {value.slice(0, at)}
      <wbr />
      {value.slice(at)}
    </span>
  )
}
