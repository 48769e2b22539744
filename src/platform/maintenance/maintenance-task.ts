import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

/**
 * Work that a module needs once a minute, such as deleting expired rows or creating tables ahead. Must be idempotent.
 */
export abstract class MaintenanceTask {
  /** @returns the number of things created or removed */
  abstract maintain(): Promise<number>;
}

/** Runs every provider of the application that is a {@link MaintenanceTask}. */
@Injectable()
export class MaintenanceRunner {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Runs the tasks one after another. When a task fails, the other tasks still run, and then the promise rejects. */
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
