import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import { email, type Issue, ListField, NestedField, TextField } from '../../../../platform/http/validation/index.js';
import { stringifyExact } from '../../../../platform/json/index.js';
import { type Mail, Mailer, type MailResult, oneLine } from '../../../../platform/mail/index.js';
import { sanitizeText } from '../../../../platform/sanitize/index.js';
import { failedTry, type TryOutcome, withoutName } from '../../sending/index.js';
import { RetryPolicyConfiguration } from './channel-configuration.js';
import type { ChannelDriver, ChannelMessage, Notification } from './channel-driver.js';

const LONGEST_SUBJECT = 200;

class EmailConfiguration {
  @ListField(email(), {
    min: 1,
    max: 20,
    description: 'Each gets a mail of its own; spellings of the domain that differ in case are one address',
  })
  to!: string[];

  @TextField({
    max: 80,
    optional: true,
    description: 'What subjects begin with; no control characters',
    check: (text) => (/\p{Cc}/u.test(text) ? 'subject_prefix must not contain control characters' : undefined),
  })
  subject_prefix?: string;

  @NestedField(() => RetryPolicyConfiguration, { optional: true, description: 'When a failed attempt is tried again' })
  retry_policy?: RetryPolicyConfiguration;
}

/**
 * Sends one mail to each address, so that no recipient sees the others. Addresses that have accepted the mail are left
 * out of later sends. A 4xx reply is a transient failure, a 5xx reply a permanent one.
 */
@Injectable()
export class EmailDriver implements ChannelDriver<EmailConfiguration> {
  static readonly configurationClass = EmailConfiguration;

  readonly configuration = EmailConfiguration;
  readonly headers = null;
  readonly isSigned = false;

  constructor(private readonly mailer: Mailer) {}

  faultsOf(): Issue[] {
    return [];
  }

  admit(configuration: EmailConfiguration): Promise<EmailConfiguration> {
    return Promise.resolve(configuration);
  }

  isSendable(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async deliver(message: ChannelMessage<EmailConfiguration>): Promise<TryOutcome> {
    const { notification, configuration, tryNumber, deliveredTo } = message;
    const done = new Set(deliveredTo.map(mailboxOf));
    const mailboxes = new Map(configuration.to.map((address) => [mailboxOf(address), address]));
    const open = [...mailboxes].flatMap(([mailbox, address]) => (done.has(mailbox) ? [] : [address]));
    const results = await Promise.all(
      open.map((to) => this.mailer.send(mailOf(notification, configuration, to, tryNumber))),
    );
    const taken = open.filter((_, at) => results[at]?.status !== 'failed');
    const counts = { addresses: done.size + open.length, accepted: done.size + taken.length };
    const outcome = outcomeOf(results, { try_number: tryNumber, addresses: open.length }, counts);
    return { ...outcome, deliveredTo: [...deliveredTo, ...taken] };
  }
}

/** Returns one key for all spellings of a mailbox: the domain is converted to lower case and to its ASCII form. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

function outcomeOf(
  results: readonly MailResult[],
  request: Readonly<Record<string, unknown>>,
  response: Readonly<Record<string, unknown>>,
): TryOutcome {
  const failures = results.filter(({ status }) => status === 'failed');
  // When one address may still be reached by a later send, the outcome is transient, and the attempt is retried.
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

function titleOf(notification: Notification): string {
  if (notification.type === 'test') return 'Test notification';
  const name = ruleNameOf(notification);
  return name === null ? 'Alert' : `Alert: ${name}`;
}

function ruleNameOf({ rule }: Notification): string | null {
  return typeof rule?.name === 'string' ? rule.name : null;
}

function textOf(notification: Notification): string {
  const { type, rule, event, ...ids } = notification;
  const { message, ...facts } = event ?? {};
  // The title already contains the name of the rule.
  const { name: _, ...properties } = rule ?? {};
  const parts = [
    titleOf(notification),
    ...(type === 'test' ? ['This channel works.'] : []),
    ...(typeof message === 'string' ? [withoutName(message, ruleNameOf(notification))] : []),
    ...partOf('Event', facts),
    ...partOf('Rule', properties),
    Object.entries(ids)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function partOf(heading: string, facts: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(facts).length === 0 ? [] : [`${heading}\n${stringifyExact(facts, 2)}`];
}
