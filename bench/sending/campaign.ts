const everyDay = { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true }

/** HTML with spintax, four fields and a link. */
export const benchMail = {
  subject: '{Question|Quick question} about {{company_name}}',
  body: `<p>{Hi|Hello} {{first_name | default: "there"}},</p>
<p>I saw that {{company_name}} is hiring for {{job_title}} in {{city}}. We help teams like yours to
answer candidates within a day, without more tools and without another spreadsheet that nobody
keeps up to date.</p>
<p>Would a short call next week make sense? You can <a href="https://www.example.com/book?from=mail">pick
a time here</a>, or just reply to this mail.</p>
<p>Best regards,<br>Ada Lovelace</p>`,
}

/** HTML and text, four fields, a tracked link, unsubscribe; no limit and no gap. */
export const benchCampaign = {
  name: 'bench',
  campaign_schedule: {
    start_date: null,
    end_date: null,
    schedules: [
      {
        name: 'Always',
        timing: { from: '00:00', to: '24:00' },
        days: everyDay,
        timezone: 'UTC',
      },
    ],
  },
  email_gap: 0,
  random_wait_max: 0,
  open_tracking: false,
  link_tracking: true,
  insert_unsubscribe_header: true,
  sequences: [{ steps: [{ variants: [benchMail] }] }],
}

export const benchLead = (index: number) => ({
  email: `lead${index}@company${index % 5000}.example`,
  first_name: `First${index}`,
  company_name: `Company ${index % 5000}`,
  job_title: 'Engineer',
  custom_variables: { city: 'Berlin' },
})

export function benchMailbox(index: number, port: number) {
  const address = `sender${index}@example.com`
  const server = {
    ...{ host: '127.0.0.1', security: 'none' as const },
    ...{ username: address, password: 'secret' },
  }
  return {
    address,
    display_name: 'Ada Lovelace',
    smtp: { ...server, port },
    imap: { ...server, port: 9 },
    daily_limit: 10_000,
    save_sent: 'off',
  }
}
