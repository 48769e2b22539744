import type { Type } from '@nestjs/common';
import { type Document, schemaOf, variesBy } from '../../../../platform/http/fields/index.js';
import type { ChannelDriver } from './channel-driver.js';
import { EmailDriver } from './email.driver.js';
import { WebhookDriver } from './webhook.driver.js';

interface ChannelDriverClass extends Type<ChannelDriver> {
  readonly configurationClass: Type<unknown>;
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

const CONFIGURATIONS = Object.entries(CHANNEL_DRIVERS).map(
  ([type, driver]) => [type, driver.configurationClass] as const,
);

/** The classes of the configurations of all kinds, for the document. */
export const CONFIGURATION_CLASSES = CONFIGURATIONS.map(([, configuration]) => configuration);

/** What the document says of the configuration of a channel of any kind. */
export const ANY_CONFIGURATION: Document = { anyOf: CONFIGURATION_CLASSES.map(({ name }) => schemaOf(name)) };

/**
 * What it says of a configuration beside the channel's `type`.
 * @param nameOf what the schema of one kind is called, of which it is told `Webhook` or `Email`
 */
export function configurationByType(nameOf: (kind: string) => string): Document {
  const variants = CONFIGURATIONS.map(([type, { name }]) => {
    const kind = type.charAt(0).toUpperCase() + type.slice(1);
    return [type, { name: nameOf(kind), schema: name }] as const;
  });
  return variesBy('type', Object.fromEntries(variants));
}
