import { isIP } from 'node:net';
import { type Mail, programOf } from '../../../platform/mail/index.js';
import { resetLines } from './reset-lines.js';
import { ACTS_OF_OPERATORS, ACTS_OF_PROVIDERS, SECURITY_EVENT_MAILS } from './security-event-types.js';
import type { DueNotice } from './security-notices.repository.js';

const OWNER_MAY_HAVE_ACTED = [
  'If this was you, you need not do anything. If not, change your password and look at the',
  'sessions and second factors of your account.',
];
const OPERATOR_ACTED = [
  'The people who run this service did this. All sessions of your account have ended. If you',
  'did not expect it, ask them.',
];
const PROVIDER_ACTED = [
  'The identity provider of your company did this. If you did not expect it, ask the people who',
  'run it.',
];

/** Returns one mail per event type and address, about the newest event of each group. */
export function noticeMails(notices: readonly DueNotice[]): { mail: Mail; ids: string[] }[] {
  const groups = new Map<string, DueNotice[]>();
  for (const notice of notices) {
    const key = `${notice.type} ${notice.noticeTo}`;
    groups.set(key, [...(groups.get(key) ?? []), notice]);
  }
  return [...groups.values()].flatMap((group) => {
    const newest = group.at(-1);
    return newest === undefined ? [] : [{ mail: mailOf(newest, group.length), ids: group.map(({ id }) => id) }];
  });
}

function mailOf({ type, ip, userAgent, noticeTo, detail }: DueNotice, times: number): Mail {
  const subject = SECURITY_EVENT_MAILS[type] ?? 'Something happened to your account';
  const text = [
    `${subject}.`,
    '',
    ...(times === 1 ? [] : [`This happened ${times} times; the last time:`]),
    ...(ip === null && userAgent === null ? [] : [`Address: ${addressOf(ip)}`, `Program: ${programOf(userAgent)}`, '']),
    ...(type === 'password_reset' ? resetLines(detail) : []),
    ...reasonOf(type),
    '',
  ].join('\n');
  return { to: noticeTo, subject, text };
}

function reasonOf(type: string): readonly string[] {
  if (ACTS_OF_PROVIDERS.includes(type)) return PROVIDER_ACTED;
  return ACTS_OF_OPERATORS.includes(type) ? OPERATOR_ACTED : OWNER_MAY_HAVE_ACTED;
}

/**
 * Returns the IP address, or `unknown` when the value is none. A proxy that is trusted by mistake passes on any value
 * that a client sends.
 */
function addressOf(ip: string | null): string {
  return ip !== null && isIP(ip) !== 0 ? ip : 'unknown';
}
