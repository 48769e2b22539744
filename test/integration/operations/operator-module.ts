import { describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, NestFactory } from '@nestjs/core';
import { OperatorModule } from '../../../src/cli/operators/operator.module.js';
import { CONFIG, type Config } from '../../../src/config/index.js';
import { OnOrganizationDeleted } from '../../../src/modules/tenancy/organizations/index.js';
import { ProjectBelongings } from '../../../src/modules/tenancy/projects/lifecycle/project-belongings.js';
import { Logger } from '../../../src/platform/telemetry/index.js';
import { app } from './api-app.js';

/** Returns the names of the providers that act in the transaction that deletes an organization. */
function actingAtDeletion(app: INestApplicationContext): string[] {
  const acts = (instance: unknown): boolean => {
    if (instance instanceof OnOrganizationDeleted) return true;
    if (!(instance instanceof ProjectBelongings)) return false;
    const { keeper } = instance as unknown as { keeper: object };
    return 'projectDeleted' in keeper;
  };
  return app
    .get(DiscoveryService, { strict: false })
    .getProviders()
    .flatMap(({ instance, token }) => (acts(instance) ? String(token) : []))
    .sort();
}

describe('The module of the operators', () => {
  it('has every provider of the service that acts when an organization is deleted', async () => {
    const config = app.nest.get<Config>(CONFIG);
    const module = OperatorModule.for({
      config,
      databaseUrl: app.databaseUrl,
      logger: new Logger({ level: 'silent' }),
    });
    const operators = await NestFactory.createApplicationContext(module, { logger: false });
    const names = actingAtDeletion(app.nest);
    expect(names).toContain('Symbol(ObjectsOfDeletedProjects of deleted projects)');
    expect(actingAtDeletion(operators)).toEqual(names);
    await operators.close();
  });
});
