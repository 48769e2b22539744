import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DestinationDriver } from './destination-driver.js';
import { SlackDriver } from './slack.driver.js';
import { AlertWebhookDriver } from './webhook.driver.js';

interface DestinationDriverClass extends Type<DestinationDriver> {
  /** Whether alerts that name nobody are told there, too (SERVICE 6.3). */
  readonly hearsAllAlerts: boolean;
}

/** Every kind of alert destination by its name in `type`. */
export const DESTINATION_DRIVERS = {
  webhook: AlertWebhookDriver,
  slack: SlackDriver,
} satisfies Readonly<Record<string, DestinationDriverClass>>;

export type DestinationType = keyof typeof DESTINATION_DRIVERS;
export const DESTINATION_TYPES = Object.keys(DESTINATION_DRIVERS) as DestinationType[];

/** The kinds that alerts without links are told to. */
export const TYPES_HEARING_ALL = DESTINATION_TYPES.filter((type) => DESTINATION_DRIVERS[type].hearsAllAlerts);

/** The drivers of all kinds of alert destinations. */
@Injectable()
export class DestinationDriverRegistry {
  constructor(private readonly modules: ModuleRef) {}

  of(type: DestinationType): DestinationDriver {
    return this.modules.get<DestinationDriver>(DESTINATION_DRIVERS[type]);
  }
}
