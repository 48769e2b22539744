import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { api } from '../support/api.js';

const FOLDER = fileURLToPath(new URL('../../docs/senders/', import.meta.url));
const INDEX = 'README.md';
const FILES = readdirSync(FOLDER).filter((name) => name !== INDEX);

const read = (name: string): string => readFileSync(FOLDER + name, 'utf8');
const parsed = (name: string): unknown => (name.endsWith('.json') ? JSON.parse(read(name)) : parse(read(name)));

/** The programs append these paths to the address of OTLP. */
const OTLP = 'intake/otlp';
const SIGNALS = ['/v1/logs', '/v1/traces', '/v1/metrics'];

/** Returns the paths of the intake that a configuration sends to. */
function pathsIn(text: string): string[] {
  const named = [...text.matchAll(/\bintake(?:\/[\w-]+)+/g)].map(([path]) => path);
  const sent = named.flatMap((path) => (path === OTLP ? SIGNALS.map((signal) => path + signal) : path));
  return [...new Set(sent)];
}

describe('The folder of configurations', () => {
  it('has an index that links to each of them', () => {
    const linked = [...read(INDEX).matchAll(/\| \[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, target]) => [text, target]);
    expect(linked.map(([, target]) => target).sort()).toEqual([...FILES].sort());
    for (const [text, target] of linked) expect(text).toBe(target);
  });
});

describe.each(FILES)('The configuration %s', (name) => {
  it('has the placeholders that its reader replaces', () => {
    expect(read(name)).toContain('events.example.com');
    expect(read(name)).toMatch(/oes_YOUR_KEY|YOUR_HOOK_ID/);
  });

  it('sends only to routes of the service', async () => {
    const paths = pathsIn(read(name));
    expect(paths).not.toEqual([]);
    for (const path of paths.filter((one) => !one.startsWith('intake/hooks/'))) {
      // A route that exists asks for credentials first.
      const { status } = await api.post(`/${path}`);
      expect([path, status]).toEqual([path, 401]);
    }
    for (const path of paths.filter((one) => one.startsWith('intake/hooks/'))) {
      // The secret address is the credential.
      const { status, body } = await api.post(`/${path.replace('YOUR_HOOK_ID', '0'.repeat(32))}`);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Webhook address not found' }]);
    }
  });
});

describe('A route of the intake that does not exist', () => {
  it('returns 404, so that the check of paths can fail', async () => {
    await api.post('/intake/none').expect(404);
  });
});

describe('The configurations in YAML and JSON', () => {
  it.each(FILES.filter((name) => /\.(?:ya?ml|json)$/.test(name)))('can be parsed: %s', (name) => {
    expect(parsed(name)).toEqual(expect.any(Object));
  });

  it('have batches below the limits of a request', () => {
    expect(parsed('vector.yaml')).toMatchObject({ sinks: { events: { batch: { max_events: 1_000 } } } });
    const { processors } = parsed('opentelemetry-collector.yaml') as {
      processors: { batch: { send_batch_max_size: number } };
    };
    expect(processors.batch.send_batch_max_size).toBeLessThanOrEqual(10_000);
  });
});
