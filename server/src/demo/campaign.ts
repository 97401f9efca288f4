import { workingHours } from './clock.ts'

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`

/** What a user posts: three mails, two openings to choose from, both kinds of tracking. */
export const newCampaign = (mailboxes: string[]) => ({
  name: 'Sandbox: first customers',
  email_list: mailboxes,
  campaign_schedule: {
    schedules: [
      {
        name: 'Working hours',
        timing: { from: clock(workingHours.from), to: clock(workingHours.to) },
        days: { 1: true, 2: true, 3: true, 4: true, 5: true },
        timezone: 'UTC',
      },
    ],
  },
  sequences: [
    {
      steps: [
        {
          variants: [
            { subject: '{Quick question|A question} about {{company_name}}', body: opening },
            { subject: '{{first_name}}, who answers the mail at {{company_name}}?', body: opening },
          ],
        },
        { delay: 2, variants: [{ subject: '', body: followUp }] },
        { delay: 2, variants: [{ subject: 'The last one, {{first_name}}', body: farewell }] },
      ],
    },
  ],
  email_gap: 6,
  random_wait_max: 6,
  open_tracking: true,
  link_tracking: true,
})

const opening = `<p>{Hi|Hello} {{first_name | default: "there"}},</p>
<p>as {{job_title | default: "somebody who knows"}} at {{company_name}}{% if city %} in {{city}}{% endif %},
how do you find your first customers? We made something for that:
<a href="https://outrider.example/tour">a tour of two minutes</a>.</p>`

const followUp = `<p>{{first_name | default: "Hello"}}, did you have a moment for
<a href="https://outrider.example/tour">the tour</a>?</p>`

const farewell = `<p>I will not write again, {{first_name | default: "promised"}}. If it ever becomes a
topic at {{company_name}}, <a href="https://outrider.example/start">here is where to start</a>.</p>`
