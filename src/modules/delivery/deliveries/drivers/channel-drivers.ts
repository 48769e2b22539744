import type { Type } from '@nestjs/common';
import { type Document, schemaOf, variesBy } from '../../../../platform/http/validation/index.js';
import type { ChannelDriver } from './channel-driver.js';
import { EmailDriver } from './email.driver.js';
import { WebhookDriver } from './webhook.driver.js';

interface ChannelDriverClass extends Type<ChannelDriver> {
  readonly configurationClass: Type<unknown>;
}

/** The driver of every channel type, by the value of `type`. */
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

/** The configuration classes of all types, for the OpenAPI document. */
export const CONFIGURATION_CLASSES = CONFIGURATIONS.map(([, configuration]) => configuration);

/** The schema for the configuration of a channel of any type, in the OpenAPI document. */
export const ANY_CONFIGURATION: Document = { anyOf: CONFIGURATION_CLASSES.map(({ name }) => schemaOf(name)) };

/**
 * Returns the schema for an object whose `type` decides the class of its configuration.
 * @param nameOf returns the name of the schema of one type, from `Webhook` or `Email`
 */
export function configurationByType(nameOf: (kind: string) => string): Document {
  const variants = CONFIGURATIONS.map(([type, { name }]) => {
    const kind = type.charAt(0).toUpperCase() + type.slice(1);
    return [type, { name: nameOf(kind), schema: name }] as const;
  });
  return variesBy('type', Object.fromEntries(variants));
}
