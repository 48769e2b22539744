import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { renderArtifacts } from '../../src/tooling/artifacts.js';

it('finds every generated file as the code makes it', async () => {
  const artifacts = await renderArtifacts();
  expect(Object.keys(artifacts)).toEqual([
    'docs/api/openapi.json',
    'docs/api/other-paths.json',
    'docs/api/limits.json',
    'docs/api/routes.txt',
    'docs/api/configuration.md',
    '.env.example',
  ]);
  for (const [path, text] of Object.entries(artifacts)) {
    expect([path, readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8') === text]).toEqual([path, true]);
  }
});
