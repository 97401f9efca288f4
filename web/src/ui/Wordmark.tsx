import classes from './Wordmark.module.css'

export const Wordmark = () => (
  <span className={classes.wordmark}>
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#3b3f9c" />
      <path d="M8 21 16 9l8 12h-5l-3-5-3 5z" fill="#fff" />
    </svg>
    Outrider
  </span>
)
