import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { compile, type JsonRules, validateJson, ValidationError } from '../../../../platform/http/validation/index.js';
import type { ChannelConfiguration } from './channel-configuration.js';
import type { ChannelDriver } from './channel-driver.js';
import { CHANNEL_DRIVERS, CHANNEL_TYPES, type ChannelType, isChannelType } from './channel-drivers.js';

const PLACE = ['body', 'configuration'];

/** Finds the driver of a channel type, and validates configurations with it. */
@Injectable()
export class ChannelDriverRegistry {
  constructor(private readonly modules: ModuleRef) {}

  of(type: ChannelType): ChannelDriver {
    return this.modules.get<ChannelDriver>(CHANNEL_DRIVERS[type]);
  }

  /**
   * Validates a configuration, fills in its defaults and leaves out unknown members.
   * @throws ValidationError with issues below `body.configuration`
   */
  read(type: ChannelType, given: Readonly<Record<string, unknown>>, rules: JsonRules): ChannelConfiguration {
    const driver = this.of(type);
    const result = validateJson(compile(driver.configuration), given, 'body', rules);
    if ('issues' in result) {
      throw new ValidationError(result.issues.map((issue) => ({ ...issue, loc: [...PLACE, ...issue.loc.slice(1)] })));
    }
    const configuration = result.value as ChannelConfiguration;
    const faults = driver.faultsOf(configuration, PLACE);
    if (faults.length > 0) throw new ValidationError(faults);
    return configuration;
  }

  /**
   * Returns a stored configuration with its driver; null when this version of the service does not support the type or
   * does not accept the configuration.
   */
  stored(type: string, configuration: unknown): { driver: ChannelDriver; configuration: ChannelConfiguration } | null {
    if (!isChannelType(type)) return null;
    const driver = this.of(type);
    if ('issues' in validateJson(compile(driver.configuration), configuration ?? {}, 'body')) return null;
    return { driver, configuration: configuration as ChannelConfiguration };
  }

  async isSendable(type: string, configuration: unknown): Promise<boolean> {
    const stored = this.stored(type, configuration);
    return stored !== null && stored.driver.isSendable(stored.configuration);
  }

  /** Returns whether the second configuration sends headers to another address than the first. */
  isElsewhere(type: ChannelType, before: ChannelConfiguration, after: ChannelConfiguration): boolean {
    const { headers } = this.of(type);
    return headers !== null && headers.addressOf(before) !== headers.addressOf(after);
  }

  /** Returns the channel types that may have protected headers. */
  withHeaders(): ChannelType[] {
    return CHANNEL_TYPES.filter((type) => this.of(type).headers !== null);
  }
}
