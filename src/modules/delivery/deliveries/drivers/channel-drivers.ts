import type { Type } from '@nestjs/common';
import type { ChannelDriver } from './channel-driver.js';
import { EmailDriver } from './email.driver.js';
import { WebhookDriver } from './webhook.driver.js';

interface ChannelDriverClass extends Type<ChannelDriver> {
  /** The fields of its configuration, for the document. */
  readonly summary: string;
}

/** Every kind of channel by its name in `type`. */
export const CHANNEL_DRIVERS = {
  webhook: WebhookDriver,
  email: EmailDriver,
} satisfies Readonly<Record<string, ChannelDriverClass>>;

export type ChannelType = keyof typeof CHANNEL_DRIVERS;
export const CHANNEL_TYPES = (Object.keys(CHANNEL_DRIVERS) as ChannelType[]).sort();

export function isChannelType(type: string): type is ChannelType {
  return Object.hasOwn(CHANNEL_DRIVERS, type);
}

/** What the configuration of each kind consists of, for the document. */
export const CONFIGURATION_SUMMARY = [
  ...Object.entries(CHANNEL_DRIVERS).map(([type, { summary }]) => `${type}: ${summary}.`),
  `${CHANNEL_TYPES.length === 2 ? 'Both' : 'All'}: \`retry_policy\` (\`strategy\`, \`base_delay_seconds\`, \`max_delay_seconds\`, \`max_attempts\`).`,
].join(' ');
