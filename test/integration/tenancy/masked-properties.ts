import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';

const SECRET = 'hunter2-4111-1111';

export function describeMaskedProperties(service: () => TestApp): void {
  describe('a masked property', () => {
    let app: TestApp;
    let owner: Owner;

    beforeAll(() => {
      app = service();
    });

    beforeEach(async () => {
      owner = await ownerWithProject(app);
    });

    const put = (body: object) =>
      app.request().put(`/v1/projects/${owner.projectId}/settings`).set('Authorization', owner.bearer).send(body);
    const ingest = (body: object) =>
      app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'checkout', source: 'web', ...body });

    /** The names of the tables that contain a text. */
    async function tablesWith(text: string): Promise<string[]> {
      const tables = await app.rows<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await app.rows(`SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
        if (rows.length > 0) found.push(name);
      }
      return found;
    }

    it('is neither stored nor returned nor logged', async () => {
      await put({
        redacted_properties: ['card.number', 'users.*.email', 'path', 'message', 'event_id', 'request.headers'],
      }).expect(200);
      const answer = await ingest({
        event_id: SECRET,
        message: `paid with ${SECRET}`,
        payload: {
          card: { number: SECRET, brand: 'visa' },
          path: `/pay/${SECRET}`,
          'card.number': SECRET,
          request: { headers: { authorization: SECRET }, method: 'POST' },
        },
        properties: { users: [{ email: SECRET, id: 1 }, { email: SECRET }], amount: 5 },
      }).expect(200);
      const properties = {
        source: 'web',
        event_id: '[redacted]',
        message: '[redacted]',
        card: { number: '[redacted]', brand: 'visa' },
        path: '[redacted]',
        'card.number': '[redacted]',
        request: { headers: '[redacted]', method: 'POST' },
        users: [{ email: '[redacted]', id: 1 }, { email: '[redacted]' }],
        amount: 5,
      };
      expect(answer.body).toMatchObject({ properties, external_event_id: '[redacted]' });
      const { ingested_event_id: id } = answer.body as { ingested_event_id: string };
      expect(
        await app.rows(
          'SELECT properties, message, external_event_id, log_endpoint, source FROM events WHERE project_id = $1 AND id = $2',
          [owner.projectId, id],
        ),
      ).toEqual([
        {
          properties,
          message: '[redacted]',
          external_event_id: '[redacted]',
          log_endpoint: '[redacted]',
          source: 'web',
        },
      ]);
      const logs = await app
        .request()
        .get(`/v1/logs?project_id=${owner.projectId}`)
        .set('Authorization', owner.bearer)
        .expect(200);
      expect(answer.text + logs.text + app.logLines.join('')).not.toContain(SECRET);
      expect(await tablesWith(SECRET)).toEqual([]);
      // The search itself finds what is there.
      expect(await tablesWith('visa')).toContain('public.events');
    });

    it('is not in the answer to a refused event, and nothing of it is stored', async () => {
      await put({ redacted_properties: ['card.number', 'message', 'users.email', 'status'] }).expect(200);
      const card = { number: SECRET, brand: 'visa' };
      const refused = [
        { payload: { card } },
        { source: 's', card },
        { source: 's', message: [SECRET], status: { a: SECRET } },
        { source: 's', event_type: 'e', message: SECRET.repeat(200) },
        { source: 's', event_type: 'e', payload: JSON.stringify({ card }) },
        { source: 's', event_type: 'e', payload: [SECRET, { card }] },
        { source: 's', event_type: 'e', properties: { users: [{ email: `${SECRET}\u0000` }] } },
        { source: 's', event_type: 'e', properties: { card: { number: [`${SECRET}\ud800`] }, 'card.number': SECRET } },
        [SECRET],
        SECRET,
      ];
      const told: string[] = [];
      const json = 'application/json';
      for (const body of refused) {
        const text = JSON.stringify(body);
        told.push(
          (
            await app
              .request()
              .post('/v1/events/ingest')
              .set('X-API-Key', owner.apiKey)
              .type(json)
              .send(text)
              .expect(422)
          ).text,
        );
        const recorded = JSON.stringify(
          Array.isArray(body) ? body : Object.assign({ project_id: owner.projectId }, body),
        );
        for (const sent of [text, recorded]) {
          const answer = app.request().post('/v1/events').set('Authorization', owner.bearer).type(json).send(sent);
          told.push((await answer.expect(422)).text);
        }
      }
      // An accepted event keeps the answer, refusals included, for the idempotency key.
      const lines = [...refused, { source: 's', event_type: 'e' }].map((body) => JSON.stringify(body)).join('\n');
      for (let tries = 0; tries < 2; tries += 1) {
        const batch = app
          .request()
          .post('/v1/events/ingest')
          .set('X-API-Key', owner.apiKey)
          .type('application/x-ndjson');
        told.push((await batch.set('Idempotency-Key', 'refused').send(lines).expect(200)).text);
      }
      expect(told.join('')).not.toContain(SECRET);
      expect(told[0]).toContain('"visa"');
      expect(await tablesWith(SECRET)).toEqual([]);
      expect(await tablesWith('visa')).toContain('public.idempotency_records');
    });
  });
}
