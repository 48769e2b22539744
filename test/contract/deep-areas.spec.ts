import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { AREAS, areasOf, filesOf, suitesThatImport } from '../../scripts/testing/areas.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('The map of the deep areas', () => {
  it('names only files and folders that exist', () => {
    const map = JSON.parse(readFileSync(`${ROOT}test/deep/areas.json`, 'utf8')) as Record<string, string[]>;
    const missing = Object.values(map)
      .flat()
      .filter((path) => !existsSync(ROOT + path));
    expect(missing).toEqual([]);
  });

  it('has an area for every folder of test/deep', () => {
    const folders = readdirSync(`${ROOT}test/deep`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(AREAS).toEqual(expect.arrayContaining(folders.map(({ name }) => name)));
  });

  it.each([
    ['console/src/main.tsx', ['console']],
    ['src/modules/entitlement/storage/objects/objects.service.ts', ['storage', 'properties']],
    ['test/deep/faults/ingest.spec.ts', []],
    ['docs/api/openapi.json', ['clients']],
    ['docs/guide/alerts.md', []],
    ['src/platform/ids/index.ts', AREAS],
    ['test/deep/areas.json', AREAS],
  ])('gives for a change of %s the areas %j', (path, areas) => {
    expect(areasOf([path])).toEqual(areas);
  });

  it('has files in every area, and each file of a folder in one area', () => {
    for (const area of AREAS) expect([area, filesOf(ROOT, [area]).length]).not.toEqual([area, 0]);
    const files = filesOf(ROOT, AREAS);
    expect(new Set(files).size).toBe(files.length);
  });

  it('finds the suites that import a helper, also through another helper', () => {
    const suites = suitesThatImport(ROOT, ['test/support/chromium.ts']);
    expect(suites).toEqual(
      expect.arrayContaining(['test/deep/console/numbers.spec.ts', 'test/deep/console/first-page.spec.ts']),
    );
    expect(suites).not.toContain('test/deep/storage/object-store.spec.ts');
  });
});
