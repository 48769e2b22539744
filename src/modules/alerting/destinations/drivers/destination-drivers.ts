import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DestinationDriver } from './destination-driver.js';
import { SlackDriver } from './slack.driver.js';
import { AlertWebhookDriver } from './webhook.driver.js';

interface DestinationDriverClass extends Type<DestinationDriver> {
  /** Whether destinations of this type also get alerts of rules without linked recipients. */
  readonly hearsAllAlerts: boolean;
}

/** The driver of every type of alert destination, by the value of `type`. */
export const DESTINATION_DRIVERS = {
  webhook: AlertWebhookDriver,
  slack: SlackDriver,
} satisfies Readonly<Record<string, DestinationDriverClass>>;

export type DestinationType = keyof typeof DESTINATION_DRIVERS;
export const DESTINATION_TYPES = Object.keys(DESTINATION_DRIVERS) as DestinationType[];

/** The types of destinations that also get alerts of rules without linked recipients. */
export const TYPES_HEARING_ALL = DESTINATION_TYPES.filter((type) => DESTINATION_DRIVERS[type].hearsAllAlerts);

/** Finds the driver of a type of alert destination. */
@Injectable()
export class DestinationDriverRegistry {
  constructor(private readonly modules: ModuleRef) {}

  of(type: DestinationType): DestinationDriver {
    return this.modules.get<DestinationDriver>(DESTINATION_DRIVERS[type]);
  }
}
