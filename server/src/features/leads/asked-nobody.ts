/**
 * Of an attempt `s` at a mail, in SQL: no server was asked to take it, because the claim was given back, no mail
 * could be made, or no way was found to the server. It is not counted, so the first attempt that is so had none
 * before it of which a mail may have left.
 */
export const askedNobody = `coalesce(s.state = 'failed'
         and s.error_stage in ('claim', 'compose', 'connect', 'tls', 'login'), false)`
