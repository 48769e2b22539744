import { Injectable } from '@nestjs/common';
import { type TryOutcome, withoutName } from '../../../delivery/sending/index.js';
import type { StoredNotification } from './alert-notification.js';
import { type DestinationDriver, type DestinationMessage, maskedAddress } from './destination-driver.js';
import { SignedPostClient } from './signed-post.client.js';

/** Slack's limits, in characters of the escaped text. */
const MOST_SECTION = 3_000;
const MOST_FIELD = 2_000;
const MOST_TITLE = 300;

interface Text {
  readonly type: 'mrkdwn';
  readonly text: string;
  /** Slack makes no links, mentions or channels of the text. */
  readonly verbatim: true;
}
type Block =
  | { readonly type: 'section'; readonly text: Text }
  | { readonly type: 'section'; readonly fields: readonly Text[] }
  | { readonly type: 'context'; readonly elements: readonly Text[] };

/** The JSON of an incoming webhook. Notifications of Slack, and clients without blocks, show `text`. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Sends to an incoming webhook of Slack. The path of its address is its credential. */
@Injectable()
export class SlackDriver implements DestinationDriver {
  static readonly hearsAllAlerts = false;

  constructor(private readonly posts: SignedPostClient) {}

  maskOf(url: URL): string {
    return maskedAddress(url);
  }

  send(message: DestinationMessage, deadlineMs: number): Promise<TryOutcome> {
    return this.posts.send(message, slackMessage(message.notification), deadlineMs);
  }
}

export function slackMessage(notification: StoredNotification): SlackMessage {
  const label = (notification.status === 'resolved' ? 'resolved' : (notification.severity ?? 'alert')).toUpperCase();
  const title = notification.ruleName ?? notification.eventType ?? 'Alert';
  const head = `[${label}] ${title.replace(/\s+/g, ' ')}`;
  const message = withoutName(notification.message ?? '', notification.ruleName).trim() || null;
  const fields: readonly (readonly [string, string | number | null])[] = [
    ['Severity', notification.severity],
    ['Status', notification.status],
    ['Event', notification.eventType],
    ['Source', notification.source],
    ['Occurrences', notification.occurrences > 1 ? notification.occurrences : null],
  ];
  const known = fields.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [mrkdwn(`*${name}*\n${slackText(String(value), MOST_FIELD - 20)}`)],
  );
  const body = message === null ? '' : `\n${slackText(message, MOST_SECTION - MOST_TITLE - 10)}`;
  const origin = [notification.alertEventId && `Alert ${notification.alertEventId}`, notification.createdAt]
    .filter(Boolean)
    .join(' · ');
  return {
    text: slackText(message === null ? head : `${head}: ${message}`, MOST_SECTION),
    blocks: [
      { type: 'section', text: mrkdwn(`*${slackText(head, MOST_TITLE)}*${body}`) },
      ...(known.length === 0 ? [] : [{ type: 'section' as const, fields: known }]),
      { type: 'context', elements: [mrkdwn(slackText(origin, MOST_FIELD))] },
    ],
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns text that Slack shows unchanged: its three control characters are escaped, and no escape is cut in two. */
export function slackText(text: string, most: number): string {
  let out = '';
  /** The text to return if more characters follow: it leaves room for the ellipsis. */
  let cut = '';
  for (const character of text) {
    out += ESCAPES[character] ?? character;
    if (out.length > most) return `${cut}…`;
    if (out.length < most) cut = out;
  }
  return out;
}

function mrkdwn(text: string): Text {
  return { type: 'mrkdwn', text, verbatim: true };
}
