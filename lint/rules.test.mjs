// npm run check -- lint-rules: tests what each of our own rules reports and what it accepts.
import { describe, it } from 'node:test';
import { ensureTools, importTool } from '../scripts/tools.mjs';
import { local } from './index.mjs';

await ensureTools();
const { RuleTester } = await importTool('eslint');
const { default: typescript } = await importTool('typescript-eslint');

Object.assign(RuleTester, { describe, it, itOnly: it.only });
const tester = new RuleTester({ languageOptions: { parser: typescript.parser } });
const { rules } = local;

/** Code that runs a statement. */
const rows = (sql, before = '') => `${before}void database.rows(\`${sql}\`, [id]);`;
const missing = [{ messageId: 'missing' }];
const pieces = [{ messageId: 'pieces' }];

describe('tenants in statements', () => {
  tester.run('a statement names its tenant', rules['tenant-in-sql'], {
    valid: [
      rows('SELECT * FROM delivery_channels WHERE project_id = $1 AND id = $2'),
      rows('SELECT * FROM delivery_channels c WHERE c.id = $2 AND $1::uuid = c.project_id'),
      rows('SELECT * FROM events WHERE (project_id, id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))'),
      rows('SELECT name FROM projects WHERE id = $1'),
      rows('SELECT s.* FROM alert_rule_series s JOIN alert_rules r ON r.id = s.rule_id WHERE r.project_id = $1'),
      rows('INSERT INTO saved_views (id, project_id) VALUES ($1, $2)'),
      rows('DELETE FROM sessions WHERE user_id = ANY($1::uuid[])'),
      rows('SELECT 1 FROM job_runs WHERE name = $1'),
      rows('WITH mine AS (SELECT $1::uuid AS id) SELECT id FROM mine WHERE id = $1'),
      rows('DELETE /* every tenant: what has expired */ FROM sessions WHERE expires_at < now()'),
      rows('SELECT project_id FROM api_keys WHERE key_hash = $1 /* tenant: by the hash of the key */'),
      rows(`\${SELECT} AND id = $2`, 'const SELECT = `SELECT id FROM saved_views WHERE project_id = $1`;'),
      rows(`SELECT id FROM saved_views WHERE project_id = \${parameters.bind(projectId)}`),
      rows('SELECT 1 FROM notes n, saved_views v WHERE v.project_id = $1 AND n.id = v.id'),
      rows('SELECT coalesce(a, b), id FROM job_runs WHERE (name, id) IN (SELECT $1, $2) ORDER BY name, id'),
      rows('SELECT a IS DISTINCT FROM b, sessions FROM job_runs WHERE name = $1'),
      rows(`SELECT 1 FROM \${table} t, unnest($1::uuid[]) u WHERE t.project_id = $2`),
      `void database.rows('SELECT 1 FROM saved_views ' + 'WHERE project_id = $1', [id]);`,
      `throw new Error('SELECT a plan FROM the list');`,
    ],
    invalid: [
      { code: rows('SELECT * FROM delivery_channels WHERE id = $1'), errors: missing },
      { code: `void database.rows('SELECT * FROM delivery_channels WHERE id = $1', [id]);`, errors: missing },
      { code: rows('UPDATE api_keys SET name = $2 WHERE id = $1'), errors: missing },
      { code: rows('UPDATE api_keys SET project_id = $2 WHERE id = $1'), errors: missing },
      { code: rows('DELETE FROM alert_rule_series WHERE rule_id = $1'), errors: missing },
      // A join of two columns says only that the rows belong together.
      {
        code: rows('SELECT c.* FROM delivery_channels c JOIN projects p ON p.id = c.project_id WHERE c.id = $1'),
        errors: missing,
      },
      { code: rows('SELECT project_id FROM api_keys WHERE id = $1'), errors: missing },
      { code: rows('INSERT INTO saved_views (id) VALUES ($1)'), errors: missing },
      { code: rows(`SELECT 1 FROM \${table} WHERE id = $1`), errors: missing },
      { code: rows(`\${SELECT} WHERE id = $1`, 'const SELECT = `SELECT * FROM api_keys`;'), errors: missing },
      { code: rows('SELECT 1 FROM job_runs j, saved_views WHERE j.id = $1'), errors: missing },
      { code: rows(`SELECT 1 FROM unnest($1::uuid[], ',') u (id), saved_views v WHERE v.id = u.id`), errors: missing },
      { code: rows('SELECT 1 FROM job_runs JOIN jobs ON (true), LATERAL (SELECT 1) x, api_keys k'), errors: missing },
      { code: rows('DELETE FROM job_runs USING jobs j, sessions s WHERE s.id = $1'), errors: missing },
      { code: rows('SELECT 1 FROM public.saved_views WHERE id = $1'), errors: missing },
      { code: `void database.rows('SELECT 1 FROM saved_views ' + 'WHERE id = $1', [id]);`, errors: missing },
      { code: rows(`SELECT 1 FROM event_\${unit} WHERE project_id = $1`), errors: pieces },
      { code: rows(`SELECT 1 FROM \${kind}_events WHERE project_id = $1`), errors: pieces },
      { code: rows(`SELECT 1 FROM job_runs, event_\${unit}s WHERE project_id = $1`), errors: pieces },
      { code: `void database.rows('SELECT 1 FROM event_' + unit + ' WHERE project_id = $1', [id]);`, errors: pieces },
      { code: rows('SELECT * /* every tenant: */ FROM api_keys WHERE id = $1'), errors: missing },
      { code: rows('DELETE FROM sessions -- user_id = $1'), errors: missing },
    ],
  });

  tester.run('a condition names its tenant', rules['tenant-in-where'], {
    valid: [
      'database.repository(DeliveryChannel).findOneBy({ projectId, id });',
      'database.repository(DeliveryChannel, tx).find({ where: { projectId }, order: { id: "ASC" } });',
      'database.repository(Project).findOneBy({ id: scope.projectId });',
      'database.repository(Invitation).update({ organizationId, id }, change);',
      'database.repository(ApiKey).findOneBy({ keyHash, /* tenant: by the hash of the key */ });',
      'database.repository(DeliveryChannel).insert(channel);',
      'database.repository(Project).createQueryBuilder("p").where("p.organizationId = :organizationId", scope).getMany();',
    ],
    invalid: [
      { code: 'database.repository(DeliveryChannel).findOneBy({ id });', errors: missing },
      { code: 'database.repository(DeliveryChannel).find();', errors: [{ messageId: 'missing' }] },
      { code: 'database.repository(DeliveryChannel).find({ where: [{ projectId }, { id }] });', errors: missing },
      { code: 'database.repository(DeliveryChannel).update(id, change);', errors: missing },
      { code: 'db.getRepository(DeliveryChannel).delete({ ...condition });', errors: missing },
      { code: 'database.repository(DeliveryChannel).save(channel);', errors: [{ messageId: 'entity' }] },
      { code: 'const channels = database.repository(DeliveryChannel);', errors: [{ messageId: 'kept' }] },
      {
        code: 'database.repository(Project).createQueryBuilder("p").where("p.id = :id", { id }).getOne();',
        errors: missing,
      },
    ],
  });
});

describe('statements', () => {
  const elsewhere = [{ messageId: 'elsewhere' }];
  tester.run('stand in repositories', rules['sql-in-repositories'], {
    valid: [
      { filename: 'notes.repository.ts', code: rows('SELECT 1') },
      { filename: 'notes.reader.ts', code: rows('SELECT 1') },
      { filename: 'notes.service.ts', code: `throw new Error('Update failed');` },
    ],
    invalid: [
      { filename: 'notes.service.ts', code: rows('SELECT 1 FROM notes'), errors: elsewhere },
      { filename: 'notes.service.ts', code: `void tx.query('UPDATE notes SET text = $1');`, errors: elsewhere },
      { filename: 'notes.service.ts', code: 'database.repository(Note).findOneBy({ projectId });', errors: elsewhere },
    ],
  });
});

describe('events', () => {
  const elsewhere = [{ messageId: 'elsewhere' }];
  const joined = [{ messageId: 'joined' }];
  const outside = 'src/modules/events/notes/notes.repository.ts';
  const store = 'src/modules/events/event-store/notes/notes.repository.ts';

  tester.run('are read behind one door, apart from all else', rules['event-rows-in-store'], {
    valid: [
      { filename: outside, code: rows('SELECT events FROM event_hours WHERE project_id = $1') },
      { filename: outside, code: rows('SELECT id FROM projects WHERE id = $1 /* FROM events */') },
      { filename: outside, code: `throw new Error('No answer from events');` },
      { filename: outside, code: rows('SELECT * FROM ingest_events($1)') },
      {
        filename: store,
        code: rows('SELECT e.id FROM events e JOIN event_outbox o ON o.id = e.id WHERE e.project_id = $1'),
      },
      { filename: store, code: rows('SELECT id FROM projects WHERE id = ANY ($1)') },
      { filename: store, code: rows('WITH projects AS (SELECT 1) SELECT FROM events CROSS JOIN projects') },
    ],
    invalid: [
      { filename: outside, code: rows('SELECT 1 FROM events WHERE project_id = $1'), errors: elsewhere },
      { filename: outside, code: rows('DELETE FROM events_default WHERE project_id = $1'), errors: elsewhere },
      { filename: outside, code: rows('UPDATE event_shipping SET block = $1'), errors: elsewhere },
      { filename: outside, code: rows('INSERT INTO "events" (project_id) VALUES ($1)'), errors: elsewhere },
      { filename: outside, code: rows('SELECT 1 FROM notes n JOIN LATERAL events e ON true'), errors: elsewhere },
      { filename: outside, code: rows('SELECT 1 FROM notes n, events e WHERE e.id = n.id'), errors: elsewhere },
      { filename: outside, code: rows('ALTER TABLE events_cold_2026_03 RENAME TO old'), errors: elsewhere },
      {
        filename: outside,
        code: rows('EXISTS (SELECT FROM events e WHERE e.id = $1)'),
        errors: elsewhere,
      },
      { filename: outside, code: `const name = "'events'::regclass";`, errors: elsewhere },
      {
        filename: store,
        code: rows('SELECT 1 FROM events e JOIN projects p ON p.id = e.project_id WHERE p.id = $1'),
        errors: joined,
      },
      {
        filename: store,
        code: rows('SELECT 1 FROM event_hours h, event_sources s WHERE h.project_id = $1'),
        errors: joined,
      },
      {
        filename: store,
        code: rows('DELETE FROM cold_months m WHERE NOT EXISTS (SELECT FROM projects p WHERE p.id = m.project_id)'),
        errors: joined,
      },
    ],
  });
});

describe('repositories', () => {
  const leaves = [{ messageId: 'leaves' }];
  tester.run('stay inside their module', rules['repositories-stay-inside'], {
    valid: [
      { filename: 'notes/index.ts', code: `export { NotesReader } from './notes.reader.js';` },
      { filename: 'notes/notes.module.ts', code: `export { NotesRepository } from './notes.repository.js';` },
    ],
    invalid: [
      { filename: 'notes/index.ts', code: `export { NotesRepository } from './notes.repository.js';`, errors: leaves },
      { filename: 'notes/index.ts', code: `export type { NoteRow } from './notes.repository.js';`, errors: leaves },
      { filename: 'notes/index.ts', code: `export * from './store/notes.repository.js';`, errors: leaves },
      { filename: 'index.ts', code: `import { NotesRepository } from './notes.repository.js';`, errors: leaves },
    ],
  });
});

describe('controllers', () => {
  const nest = [{ messageId: 'nest' }];
  const imported = (name, from) => `import { Controller, ${name} } from '${from}';`;
  tester.run('read inputs by the decorators of src/platform/http', rules['own-inputs'], {
    valid: [
      imported('Get', '@nestjs/common'),
      imported('Res', '@nestjs/common'),
      imported('Body', '../../../platform/http/inputs.js'),
      { code: imported('Param, Query', '@nestjs/common'), options: [{ allow: ['Param', 'Query'] }] },
    ],
    invalid: [
      ...['Body', 'Headers', 'HttpCode', 'Param', 'Query', 'RawBody', 'Req'].map((name) => ({
        code: imported(name, '@nestjs/common'),
        errors: nest,
      })),
      {
        code: imported('Body as Input', '@nestjs/common'),
        errors: [
          {
            message: 'Do not import Body from @nestjs/common. Use Body of src/platform/http/inputs.ts.',
          },
        ],
      },
      { code: imported('Body, Param', '@nestjs/common'), options: [{ allow: ['Param'] }], errors: nest },
    ],
  });
});

describe('a rule that is switched off', () => {
  const unexplained = [{ messageId: 'unexplained' }];
  tester.run('names its reason', rules['explained-disable'], {
    valid: [
      '// eslint-disable-next-line no-var -- an old browser reads this\nvar a;',
      '// a comment about eslint-disable',
    ],
    invalid: [
      { code: '// eslint-disable-next-line no-var\nvar a;', errors: unexplained },
      { code: '/* eslint-disable -- everything */', errors: unexplained },
    ],
  });
});

describe('a comment', () => {
  const fragment = [{ messageId: 'fragment' }];
  tester.run('begins with a sentence', rules['comment-sentences'], {
    valid: [
      '/** Returns the rows of a project. */\nfunction rows() {}',
      '/** Whether the row exists. */\nlet exists;',
      '// Reads the rows\n// of one project, and\n// That project is locked.\nread();',
      '/** Offers a slot. */\nlet slot;',
      '/* tenant: of the parameter */',
    ],
    invalid: [
      { code: '/** What the rows add up to. */\nlet sum;', errors: fragment },
      { code: '/**\n * Of the rows `e`.\n */\nlet rows;', errors: fragment },
      { code: '// Whoever waits gets the error.\nwait();', errors: fragment },
      { code: 'let end; // That of the window.', errors: fragment },
      { code: 'wait(); // Waits.\n\n// Those that wait.\nwait();', errors: fragment },
    ],
  });
});

describe('an injected class', () => {
  const erased = [{ messageId: 'erased' }];
  const injected = (before) => `${before}\n@Injectable() class A { constructor(private readonly b: B) {} }`;
  tester.run('is imported as a value', rules['injected-value-import'], {
    valid: [
      injected("import { B } from './b.js';"),
      "import type { B } from './b.js';\n@Injectable() class A { constructor(@Inject(C) private readonly b: B) {} }",
      "import type { B } from './b.js';\nclass A { constructor(private readonly b: B) {} }",
    ],
    invalid: [
      { code: injected("import type { B } from './b.js';"), errors: erased },
      { code: injected("import { type B } from './b.js';"), errors: erased },
    ],
  });
});

describe('titles of tests', () => {
  tester.run('a title is a sentence about its group', rules['sentence-titles'], {
    valid: [
      `describe('A session', () => { it('returns 401 when it has expired', () => {}); });`,
      `it('stores, and never changes, what was sent', () => {});`,
      `it.each([1])('returns 422 for the limit %j', () => {});`,
      `it.each([['fires', 'up']])('%s for a change %s', () => {});`,
      `it(\`returns \${status} for a viewer\`, () => {});`,
      `it.skip('tests of Redis: there is none', () => {});`,
    ],
    invalid: [
      { code: `it('its sources', () => {});`, errors: [{ messageId: 'short' }] },
      { code: `it('whatever the media type says', () => {});`, errors: [{ messageId: 'verb' }] },
      { code: `it('always the same as before', () => {});`, errors: [{ messageId: 'verb' }] },
      { code: `it.each([1])('returns 422 for each limit', () => {});`, errors: [{ messageId: 'cases' }] },
      { code: `describe('when nobody is there', () => {});`, errors: [{ messageId: 'noun' }] },
    ],
  });
});
