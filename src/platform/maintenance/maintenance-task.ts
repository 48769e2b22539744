import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

/** What a module wants done once a minute: rows that expired, tables to make ahead. Doing it twice does no harm. */
export abstract class MaintenanceTask {
  /** @returns how many things were made or removed */
  abstract maintain(): Promise<number>;
}

/** Every provider of the application that is a {@link MaintenanceTask}. */
@Injectable()
export class MaintenanceRunner {
  constructor(private readonly discovery: DiscoveryService) {}

  /** One after the other; a failing one does not keep the rest from their turn, but fails the round. */
  async run(): Promise<number> {
    const failures: unknown[] = [];
    let processed = 0;
    for (const { instance } of this.discovery.getProviders()) {
      if (!(instance instanceof MaintenanceTask)) continue;
      try {
        processed += await instance.maintain();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts of maintenance failed`);
    return processed;
  }
}
