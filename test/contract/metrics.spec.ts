import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { askProgram } from '../support/programs/ask.js';
import { api, service } from '../support/service.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'docs', 'operations');
/** The families of a histogram have these names as well. */
const SUFFIX = /_(?:bucket|count|sum)$/;

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const dashboards = readdirSync(join(FOLDER, 'grafana'));
const alerts = read('docs', 'operations', 'alerts.yaml');

/** Returns the names of metrics of the service in a text, without the names of the series of a histogram. */
function namesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\boes_[a-z_]+[a-z]\b/g)].map(([name]) => name));
}

/** Returns the names of all metrics that the code creates. */
function declaredNames(): Set<string> {
  const names = new Set<string>();
  const prefixes = new Set<string>();
  const endings = new Set<string>();
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
    const code = read('src', file);
    for (const [, name = ''] of code.matchAll(/'(oes_[a-z_]*[a-z])'/g)) names.add(name);
    for (const [, prefix = ''] of code.matchAll(/prefix: '(oes_[a-z_]+)'/g)) {
      prefixes.add(prefix);
      names.delete(prefix);
    }
    for (const [, ending = ''] of code.matchAll(/`\$\{prefix\}(_[a-z_]+)`/g)) endings.add(ending);
    for (const [, ending = ''] of code.matchAll(/`\$\{PREFIX\}([a-z_]+)`/g)) names.add(`oes_${ending}`);
  }
  for (const prefix of prefixes) for (const ending of endings) names.add(prefix + ending);
  return names;
}

describe('a metric', () => {
  const declared = declaredNames();

  it('exists when a dashboard or an alert rule names it', () => {
    const texts = dashboards.map((file) => read('docs', 'operations', 'grafana', file)).concat(alerts);
    const named = texts.flatMap((one) => [...namesIn(one)]);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !declared.has(name) && !declared.has(name.replace(SUFFIX, '')))).toEqual([]);
  });

  it('is documented in docs/operations.md, which names no other', () => {
    const documented = namesIn(read('docs', 'operations.md'));
    expect([...declared].filter((name) => !documented.has(name)).sort()).toEqual([]);
    expect([...documented].filter((name) => !declared.has(name)).sort()).toEqual([]);
  });

  it('is shown by a dashboard', () => {
    const shown = namesIn(dashboards.map((file) => read('docs', 'operations', 'grafana', file)).join());
    const families = new Set([...shown].map((name) => (declared.has(name) ? name : name.replace(SUFFIX, ''))));
    expect([...declared].filter((name) => !families.has(name)).sort()).toEqual([]);
  });

  it('is declared by the code when the running service exports it', async () => {
    const { text: exported } = await api.get('/metrics').set('X-Internal-Token', service.internalToken).expect(200);
    const families = [...exported.matchAll(/^# TYPE (oes_\S+) /gm)].map(([, name = '']) => name);
    expect(families.length).toBeGreaterThan(10);
    expect(families.filter((name) => !declared.has(name))).toEqual([]);
  });
});

describe('an alert rule', () => {
  const { groups } = parse(alerts) as {
    groups: { rules: { alert: string; annotations: { runbook_url: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  it.each(rules.map((rule) => [rule.alert, rule] as const))('has a section of the runbooks: %s', (name, rule) => {
    const sections = [...read('docs', 'operations', 'runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, title]) => title);
    expect(sections).toContain(name);
    expect(rule.annotations.runbook_url).toBe(`docs/operations/runbooks.md#${name.toLowerCase()}`);
  });
});

const promtool = await askProgram<{ path: string }>('promtool', { fetch: false });
if ('absent' in promtool) it.skip(`promtool is left out: ${promtool.absent}`, () => undefined);
else
  describe('promtool', () => {
    const run = promisify(execFile);

    it('accepts the alert rules, and each fires on its fault', async () => {
      await run(promtool.path, ['check', 'rules', 'alerts.yaml'], { cwd: FOLDER });
      await run(promtool.path, ['test', 'rules', 'alerts.test.yaml'], { cwd: FOLDER });
      const tested = [...read('docs', 'operations', 'alerts.test.yaml').matchAll(/alertname: (\w+)/g)];
      const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
      expect(new Set(tested.map(([, name]) => name))).toEqual(new Set(names));
    });

    it('finds no fault in the metrics of the service', async () => {
      const { text: exported } = await api.get('/metrics').set('X-Internal-Token', service.internalToken).expect(200);
      const own = exported.split('\n').filter((line) => /^(?:# (?:HELP|TYPE) )?oes_/.test(line));
      const child = spawn(promtool.path, ['check', 'metrics']);
      child.stdin.end(`${own.join('\n')}\n`);
      const [faults, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      expect([code, faults]).toEqual([0, '']);
    });
  });
