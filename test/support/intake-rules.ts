import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IngestAnswer } from './ingestion-api.js';
import type { IngestionService } from './ingestion-rules.js';
import { IntakeApi } from './intake-api.js';
import { Api } from './service.js';

const BATCH = { 'Content-Type': 'application/cloudevents-batch+json' };

interface IntakeTenant {
  readonly apiKeyId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly apiKey: string;
}

/** Defines the tests of events that are stored once, in one ingest mode. @param emptyQueue in the mode `queued` */
export function describeUniqueEvents(
  mode: 'direct' | 'batched' | 'queued',
  start: () => Promise<IngestionService>,
  emptyQueue?: () => Promise<void>,
): void {
  describe(`an event with a unique key in ${mode} mode`, () => {
    let service: IngestionService;
    let sender: IntakeApi;

    beforeAll(async () => {
      service = await start();
      sender = new IntakeApi(new Api({}, service.url));
    });
    afterAll(() => service.close());

    const send = ({ apiKey }: IntakeTenant, ids: readonly (string | null)[], headers = {}): Promise<IngestAnswer> =>
      sender.send(
        'cloudevents',
        ids.map((id) => ({ specversion: '1.0', id: id ?? '', source: '/s', type: `type-${id}` })),
        { ...BATCH, 'X-API-Key': apiKey, ...headers },
      );
    const storedTypes = async ({ projectId }: IntakeTenant): Promise<string[]> => {
      await service.settled();
      return (await service.database.storedEvents(projectId)).map(({ event }) => event).sort();
    };
    const eventsOfMonth = async ({ organizationId }: IntakeTenant): Promise<number | undefined> =>
      (await service.database.countedMonths(organizationId))[0]?.events;

    it('is stored and counted once, whichever request brings it again', async () => {
      const acme = await service.newTenant();
      await send(acme, ['a', 'b']);
      await service.settled();
      const again = await send(acme, ['b', 'c', 'a', 'd']);
      expect(again).toMatchObject({
        status: 200,
        body: {
          accepted: 4,
          duplicates: 2,
          results: [{ duplicate: true }, { duplicate: false }, { duplicate: true }, { duplicate: false }],
        },
      });
      expect(await storedTypes(acme)).toEqual(['type-a', 'type-b', 'type-c', 'type-d']);
      expect(await eventsOfMonth(acme)).toBe(4);
    });

    it('is stored once when many senders bring it at the same time', async () => {
      const acme = await service.newTenant();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(acme, ['same', `own-${n}`, 'also'])));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const types = await storedTypes(acme);
      expect(types.filter((type) => !type.startsWith('type-own'))).toEqual(['type-also', 'type-same']);
      expect(types).toHaveLength(22);
      expect(await eventsOfMonth(acme)).toBe(22);
      if (mode === 'queued') return;
      const firsts = answers.filter(({ body }) => (body.results as { duplicate: boolean }[])[0]?.duplicate === false);
      expect(firsts).toHaveLength(1);
    });

    it('does not keep its key when the quota refuses it', async () => {
      const acme = await service.newTenant();
      await service.database.setMonthlyEvents(acme.organizationId, 2);
      expect((await send(acme, ['a', 'b', 'c'])).body).toMatchObject({ accepted: 2, rejected: 1, duplicates: 0 });
      await service.settled();
      const full = await send(acme, ['c', 'd']);
      expect(full).toMatchObject({
        status: 403,
        headers: { 'x-service-block-reason': 'limit_exceeded' },
        body: { accepted: 0, rejected: 2, detail: 'All events of the batch were refused' },
      });
      const known = await send(acme, ['a', 'c']);
      expect(known).toMatchObject({ status: 200, body: { accepted: 1, rejected: 1, duplicates: 1 } });
      await service.database.setMonthlyEvents(acme.organizationId, 10);
      expect((await send(acme, ['a', 'c'])).body).toMatchObject({ accepted: 2, duplicates: 1 });
      expect(await storedTypes(acme)).toEqual(['type-a', 'type-b', 'type-c']);
    });

    it('is accepted as a duplicate after the quota is used up, without a recorded failure', async () => {
      const acme = await service.newTenant();
      await send(acme, ['a', 'b']);
      await service.settled();
      await service.database.setMonthlyEvents(acme.organizationId, 2);
      const again = await send(acme, ['b', 'a']);
      expect(again).toMatchObject({ status: 200, body: { accepted: 2, rejected: 0, duplicates: 2 } });
      expect(await service.database.refusals(acme.apiKeyId)).toEqual([]);
      expect((await send(acme, ['a', 'c'])).body).toMatchObject({ accepted: 1, rejected: 1 });
      expect(await service.database.refusals(acme.apiKeyId)).toHaveLength(1);
    });

    it('is answered alike when its request is repeated with the same Idempotency-Key', async () => {
      const acme = await service.newTenant();
      await send(acme, ['a']);
      await service.settled();
      const first = await send(acme, ['a', null, 'b'], { 'Idempotency-Key': 'k' });
      const again = await send(acme, ['a', null, 'b'], { 'Idempotency-Key': 'k' });
      expect(first.body).toMatchObject({ accepted: 2, rejected: 1, duplicates: 1 });
      const asRepeat = (first.body.results as { accepted: boolean }[]).map((result) => ({
        ...result,
        duplicate: result.accepted,
      }));
      expect(again.body).toEqual({ ...first.body, duplicates: 2, results: asRepeat });
      expect(await storedTypes(acme)).toEqual(['type-a', 'type-b']);
    });

    if (emptyQueue === undefined) return;
    it('has its first answer when its request is repeated after Redis has lost its data', async () => {
      const acme = await service.newTenant();
      await send(acme, ['a', 'c']);
      await service.settled();
      const first = await send(acme, ['a', 'b', 'c'], { 'Idempotency-Key': 'k' });
      await service.settled();
      const before = await send(acme, ['a', 'b', 'c'], { 'Idempotency-Key': 'k' });
      await emptyQueue();
      const after = await send(acme, ['a', 'b', 'c'], { 'Idempotency-Key': 'k' });
      expect(first.body).toMatchObject({ accepted: 3, duplicates: 2 });
      expect(after.body).toEqual(before.body);
    });

    it('is answered with stored ids when its request had a duplicate in the queue and Redis has lost its data', async () => {
      const acme = await service.newTenant();
      await send(acme, ['a']);
      await service.settled();
      const inQueue = Promise.all([send(acme, ['b']), send(acme, ['a', 'b', 'c'], { 'Idempotency-Key': 'k' })]);
      await inQueue;
      await service.settled();
      await emptyQueue();
      const after = await send(acme, ['a', 'b', 'c'], { 'Idempotency-Key': 'k' });
      expect(after.body).toMatchObject({ accepted: 3, duplicates: 3 });
      expect(await storedTypes(acme)).toEqual(['type-a', 'type-b', 'type-c']);
      const ids = (after.body.results as { ingested_event_id: string }[]).map((result) => result.ingested_event_id);
      const stored = (await service.database.storedEvents(acme.projectId)).map(({ id }) => id);
      expect([...ids].sort()).toEqual([...stored].sort());
    });

    it('is answered with stored ids when a quota also cut that request', async () => {
      const acme = await service.newTenant();
      await service.database.setMonthlyEvents(acme.organizationId, 4);
      const events = ['a', 'b', 'c', 'd'];
      await Promise.all([send(acme, ['b']), send(acme, events, { 'Idempotency-Key': 'k' })]);
      await service.settled();
      await emptyQueue();
      const after = await send(acme, events, { 'Idempotency-Key': 'k' });
      const results = after.body.results as { ingested_event_id?: string }[];
      const ids = results.flatMap(({ ingested_event_id: id }) => id ?? []);
      const stored = (await service.database.storedEvents(acme.projectId)).map(({ id }) => id);
      expect([...ids].sort()).toEqual([...stored].sort());
      expect(after.body).toMatchObject({ accepted: 3, rejected: 1 });
    });
  });
}
