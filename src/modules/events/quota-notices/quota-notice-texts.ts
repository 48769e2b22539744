import { bareName, type Mail } from '../../../platform/mail/index.js';
import { monthOf } from '../../entitlement/quotas/index.js';
import type { IngestRequest } from '../fields/index.js';
import type { DueMail, QuotaNotice } from './quota-notices.repository.js';

const QUOTA_WARNING = 'service.quota_warning';

/** Returns the event that every project of the organization gets. */
export function eventOf(notice: QuotaNotice): IngestRequest {
  return {
    event_type: QUOTA_WARNING,
    source: 'service',
    severity: 'warning',
    message: sentenceOf(notice),
    properties: {
      quota: notice.quota,
      threshold_percent: notice.threshold,
      used: notice.used,
      limit: notice.limit,
      month: notice.month.slice(0, 7),
      reset_day: resetDayOf(notice),
      organization_id: notice.organizationId,
    },
  };
}

export function mailOf(due: DueMail, upgradeUrl: string): Mail {
  const { quota, threshold, organizationName, email } = due;
  const organization = bareName(organizationName) || 'Your organization';
  const effect =
    threshold === 100
      ? `Further events are refused until the counter starts again on ${resetDayOf(due)} (UTC), or the limit is raised.`
      : `Events are refused when the limit is reached. The counter starts again on ${resetDayOf(due)} (UTC).`;
  return {
    to: email,
    subject: `${organization} has used ${threshold} % of the monthly ${quota}`,
    text: `${sentenceOf(due)} Organization: ${organization}

${effect}

Usage and plan:

${upgradeUrl}

You receive this mail because you are an owner or admin of the organization. It is sent once a month.
`,
  };
}

function sentenceOf({ quota, threshold, used, limit }: QuotaNotice): string {
  return `${threshold} % of the monthly ${quota} are used: ${used} of ${limit}.`;
}

function resetDayOf({ month }: QuotaNotice): string {
  return monthOf(new Date(`${month}T00:00:00Z`)).toDay;
}
