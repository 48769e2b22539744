import { Injectable } from '@nestjs/common';
import { type Mail, Mailer, type MailResult, oneLine } from '../../../../platform/mail/index.js';
import { sanitizeText } from '../../../../platform/sanitize/index.js';
import { failedTry, type TryOutcome } from '../../sending/index.js';
import { type EmailConfiguration, isConfiguration, isWebhook } from '../channels/channel-configuration.js';
import type { ChannelDriver, Delivered } from './channel-driver.js';
import type { ClaimedAttempt } from './claims.repository.js';
import { type Notification, notificationOf } from './notification.js';

const LONGEST_SUBJECT = 200;

/**
 * One mail to each address, so that none learns of the others. An address that has taken it is left out of later tries.
 * A reply of 4xx is transient, of 5xx permanent.
 */
@Injectable()
export class EmailDriver implements ChannelDriver {
  constructor(private readonly mailer: Mailer) {}

  async deliver(attempt: ClaimedAttempt): Promise<Delivered> {
    const { configuration, deliveredTo } = attempt;
    if (!isConfiguration('email', configuration) || isWebhook(configuration)) {
      return { outcome: failedTry('refused', 'destination_configuration_invalid') };
    }
    const done = new Set(deliveredTo);
    const open = [...new Set(configuration.to)].filter((address) => !done.has(address));
    const notification = notificationOf(attempt);
    const results = await Promise.all(
      open.map((to) => this.mailer.send(mailOf(notification, configuration, to, attempt.tryNumber))),
    );
    const taken = open.filter((_, at) => results[at]?.status !== 'failed');
    const counts = { addresses: done.size + open.length, accepted: done.size + taken.length };
    return {
      outcome: outcomeOf(results, { try_number: attempt.tryNumber, addresses: open.length }, counts),
      deliveredTo: [...done, ...taken],
    };
  }
}

function outcomeOf(
  results: readonly MailResult[],
  request: Readonly<Record<string, unknown>>,
  response: Readonly<Record<string, unknown>>,
): TryOutcome {
  const failures = results.filter(({ status }) => status === 'failed');
  // Any address that may still be reached is worth another try.
  const failure = failures.find(({ transient }) => transient === true) ?? failures[0];
  if (failure === undefined) {
    const kind = 'sent' as const;
    return {
      kind,
      code: null,
      reason: null,
      responseCode: null,
      summary: null,
      retryAfterSeconds: null,
      request,
      response,
    };
  }
  const error = sanitizeText(failure.error ?? 'The mail was not taken');
  const reply = /^([45]\d\d)\b/.exec(error)?.[1];
  return failedTry(
    failure.transient === true ? 'transient' : 'permanent',
    reply === undefined ? 'mail_failed' : `smtp_${reply}`,
    `${failures.length} of ${results.length} addresses failed, first: ${error}`.slice(0, 460),
    { responseCode: reply === undefined ? null : Number(reply), request, response },
  );
}

function mailOf(
  notification: Notification,
  { subject_prefix: prefix }: EmailConfiguration,
  to: string,
  tryNumber: number,
): Mail {
  const subject = [prefix, titleOf(notification)].filter(Boolean).join(' ');
  return {
    to,
    subject: oneLine(subject, LONGEST_SUBJECT),
    text: textOf(notification),
    headers: { 'X-Service-Delivery-Id': notification.attempt_id, 'X-Service-Attempt': String(tryNumber) },
  };
}

function titleOf({ type, rule }: Notification): string {
  if (type === 'test') return 'Test notification';
  const name = rule?.name;
  return typeof name === 'string' ? `Alert: ${name}` : 'Alert';
}

function textOf(notification: Notification): string {
  const { type, rule, event, ...ids } = notification;
  const parts = [
    titleOf(notification),
    ...(type === 'test' ? ['This channel works.'] : []),
    ...(event === null ? [] : [`Event\n${JSON.stringify(event, null, 2)}`]),
    ...(rule === null ? [] : [`Rule\n${JSON.stringify(rule, null, 2)}`]),
    Object.entries(ids)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}
