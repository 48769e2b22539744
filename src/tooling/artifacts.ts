import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { loadConfig } from '../config/index.js';
import { renderConfigurationTable, renderEnvExample } from '../config/listing.js';
import { buildDocument, renderRoutes } from '../openapi/document.js';
import { rateLimitPolicies } from '../rate-limits.js';
import { PolicyFinder } from '../platform/rate-limit/index.js';
import { Logger } from '../platform/telemetry/index.js';

/**
 * Returns the content of the committed files that are generated from code, by path. Needs no database: nothing is
 * instantiated.
 */
export async function renderArtifacts(): Promise<Record<string, string>> {
  const logger = new Logger({ level: 'silent' });
  const runtime = {
    config: loadConfig({}),
    secrets: { jwtPrivateKeys: [], credentialKeys: 'disabled' as const },
    databaseUrl: '',
    logger,
  };
  const app = await NestFactory.create(AppModule.for(runtime), { preview: true, logger: false, abortOnError: false });
  const policies = new PolicyFinder(rateLimitPolicies(runtime.config));
  const { document, others, routes, limits } = buildDocument(app, {
    isLimited: (method, path) => policies.find(method, path) !== null,
    ownSentences: {},
  });
  return {
    'docs/api/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/api/other-paths.json': `${JSON.stringify(others, null, 2)}\n`,
    'docs/api/limits.json': `${JSON.stringify(limits, null, 2)}\n`,
    'docs/api/routes.txt': renderRoutes(routes),
    'docs/api/configuration.md': renderConfigurationTable(),
    '.env.example': renderEnvExample(),
  };
}

/** Writes the generated files; with `check` only reports which ones differ. @returns the exit code */
export async function generateArtifacts({ check }: { check: boolean }): Promise<number> {
  const artifacts = Object.entries(await renderArtifacts());
  const stale = artifacts.filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  if (!check) for (const [path, text] of stale) writeFileSync(path, text);
  const verb = check ? 'differs from what the code makes; run `npm run generate`' : 'written';
  for (const [path] of stale) process.stdout.write(`${path} ${verb}\n`);
  if (stale.length === 0) process.stdout.write(`${artifacts.map(([path]) => path).join(', ')} are up to date\n`);
  return check && stale.length > 0 ? 1 : 0;
}
