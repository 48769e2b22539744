import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ClickHouse, isTooMuch, type ReadBounds } from '../../../src/platform/clickhouse/index.js';
import { eventually } from '../../support/eventually.js';
import { type BrokenAnswer, type ClickHouseAccess, FaultyServer, testClickHouse } from '../../support/clickhouse.js';

const clickHouse = await testClickHouse();

interface Row {
  readonly n: number;
  readonly text: string;
}

function tests(access: ClickHouseAccess): void {
  describe('Answers of ClickHouse', () => {
    const TEXT = 'a\r\n[]},"\\ é';
    const BOUNDS = { milliseconds: 20_000 };
    const TOO_MUCH = { code: 241, message: 'Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)' };
    let faulty: FaultyServer;
    let server: ClickHouse;

    beforeAll(async () => {
      faulty = await FaultyServer.before(access);
      server = await ClickHouse.open({ ...access, url: faulty.url, database: 'default', cluster: undefined });
    });

    afterEach(() => faulty.behave());

    afterAll(async () => {
      await server.close();
      await faulty.goAway();
    });

    const statement = (rows: number): string =>
      `SELECT toInt32(number) AS n, {text: String} AS text FROM numbers(${rows})`;
    /** Each way to read has the rows come as they are. */
    const ways: Readonly<Record<string, (rows: number) => Promise<Row[]>>> = {
      rows: (rows) => server.rows<Row>(statement(rows), { text: TEXT }, { max_execution_time: 20 }),
      read: (rows) => server.read<Row>(statement(rows), { text: TEXT }, BOUNDS),
      stream: async (rows) => {
        const all: Row[] = [];
        for await (const some of server.stream<Row>(statement(rows), { text: TEXT }, BOUNDS)) all.push(...some);
        return all;
      },
    };
    const broken = async (way: string, rows: number, fault: BrokenAnswer): Promise<unknown> => {
      faulty.readFaults.push(fault);
      const outcome = await ways[way]?.(rows).then(
        (answer) => ({ answer }),
        // An error of Node itself is no instance of the class in Jest.
        (error: unknown) => ({ error, isError: isNativeError(error) }),
      );
      expect(faulty.readFaults).toEqual([]);
      expect([way, fault, outcome]).toEqual([way, fault, { error: expect.anything(), isError: true }]);
      return (outcome as { error: unknown }).error;
    };

    it('have all their rows, also none and many', async () => {
      for (const [way, read] of Object.entries(ways)) {
        for (const rows of [0, 1, 2, 70_000]) {
          const answer = await read(rows);
          expect([way, answer.length, answer.at(-1)]).toEqual([
            way,
            rows,
            rows === 0 ? undefined : { n: rows - 1, text: TEXT },
          ]);
        }
      }
    });

    it('are none where they end before their end, whatever byte was the last and however they end', async () => {
      const ofThree = JSON.stringify({ n: 0, text: TEXT }).length * 3;
      for (const way of Object.keys(ways)) {
        for (let afterBytes = 0; afterBytes <= ofThree + 12; afterBytes += 1)
          await broken(way, 3, { afterBytes, then: 'end' });
        for (const afterBytes of [0, 1, 2, 3, 30, ofThree]) {
          await broken(way, 3, { afterBytes, then: 'reset' });
          await broken(way, 0, { afterBytes, then: 'end' });
        }
        await broken(way, 70_000, { afterBytes: 1_000_000, then: 'reset' });
        await broken(way, 70_000, { afterBytes: 1_000_000, then: 'end' });
      }
    });

    it('are none where the server says in the middle that it does not go on, which is told apart as ever', async () => {
      for (const way of Object.keys(ways)) {
        for (const [rows, afterBytes] of [
          [3, 0],
          [3, 2],
          [3, 30],
          [3, 10_000],
          [70_000, 1_000_000],
        ] as const) {
          expect(isTooMuch(await broken(way, rows, { afterBytes, then: TOO_MUCH }))).toBe(true);
          expect(
            isTooMuch(await broken(way, rows, { afterBytes, then: { code: 210, message: 'away. (NETWORK_ERROR)' } })),
          ).toBe(false);
        }
      }
    });

    it('are none where there is more than one answer, as after what is left of another one', async () => {
      const whole = '[\n{"n":0,"text":"a"},\n{"n":1,"text":"b"}\n]\n';
      for (const [body, isAnswer] of [
        [whole, true],
        ['[\n\n]\n', true],
        [`${whole}${whole}`, false],
        [`[\n{"n":7,"text":"of another"},\n${whole}`, false],
        [`{"n":7,"text":"of another"}\n${whole}`, false],
        [`${whole}{"n":7,"text":"of another"}\n`, false],
        ['', false],
      ] as const) {
        const http = createServer((request, response) => request.resume().once('end', () => response.end(body)));
        await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
        const other = await ClickHouse.open({ ...access, url, database: 'default', cluster: undefined });
        const read = other.read<Row>('SELECT 1', {}, BOUNDS);
        if (isAnswer) expect(await read).toEqual(JSON.parse(body));
        else await expect(read).rejects.toThrow();
        await other.close();
        await new Promise((resolve) => http.close(resolve));
      }
    });

    it('are those of their own statement after one that has failed in the middle', async () => {
      const late = `SELECT number AS n, repeat('x', 1000) AS text, sleepEachRow(0.0001) FROM numbers(1000000)`;
      const settings = { max_block_size: '1000', function_sleep_max_microseconds_per_block: '10000000' };
      for (let round = 0; round < 3; round += 1) {
        const failing = server.read(late, {}, { milliseconds: 500, settings });
        await expect(failing).rejects.toThrow();
        const answers = await Promise.all(Array.from({ length: 6 }, async () => (await ways.read?.(2)) ?? []));
        for (const answer of answers) expect(answer.map(({ n }) => n)).toEqual([0, 1]);
      }
    });

    it('are none where nothing else comes of them, and are given up in time or when nobody waits', async () => {
      const hang = { afterBytes: 1_000_000, then: 'hang' } as const;
      const given = new Error('given up');
      for (const way of ['read', 'stream'] as const) {
        const ask = async (bounds: ReadBounds): Promise<void> => {
          faulty.readFaults.push(hang);
          if (way === 'read') await server.read<Row>(statement(70_000), { text: TEXT }, bounds);
          else
            for await (const some of server.stream<Row>(statement(70_000), { text: TEXT }, bounds))
              expect(some).not.toEqual([]);
        };
        await expect(ask({ milliseconds: 500 })).rejects.toThrow('no answer in time');
        const leaving = new AbortController();
        const isAsked = eventually(
          () => faulty.readFaults.length,
          (left) => left === 0,
        );
        const left = isAsked.then(() => delay(1_000)).then(() => leaving.abort(given));
        await expect(ask({ ...BOUNDS, signal: leaving.signal })).rejects.toThrow();
        await left;
        expect(faulty.readFaults).toEqual([]);
        // Who had left before asks nothing.
        await expect(ask({ ...BOUNDS, signal: leaving.signal })).rejects.toBe(given);
        expect(faulty.readFaults).toEqual([hang]);
        faulty.behave();
      }
    });

    it('are whole however long those take who read them', async () => {
      // Of the server's own time the statement has enough.
      faulty.readSettings = { max_execution_time: '20' };
      let rows = 0;
      for await (const some of server.stream<Row>(statement(70_000), { text: TEXT }, { milliseconds: 3_000 })) {
        if (rows === 0) await delay(6_000);
        rows += some.length;
      }
      expect(rows).toBe(70_000);
    });

    it('are asked for once more, and no more, where a connection ends before a word of them', async () => {
      const outcomes: ('answer' | 'close')[] = [];
      let asked = 0;
      const http = createServer((request, response) =>
        request.resume().once('end', () => {
          asked += 1;
          if (outcomes.shift() === 'close') request.socket.destroy();
          else response.end('[\n{"n":0,"text":"a"}\n]\n');
        }),
      );
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const other = await ClickHouse.open({ ...access, url, database: 'default', cluster: undefined });
      for (const ask of [() => other.read<Row>('SELECT 1', {}, BOUNDS), () => other.rows<Row>('SELECT 1')]) {
        asked = 0;
        outcomes.push('answer', 'close', 'answer', 'close', 'close', 'answer');
        await expect(ask()).resolves.toHaveLength(1);
        expect(asked).toBe(1);
        await expect(ask()).resolves.toHaveLength(1);
        expect(asked).toBe(3);
        await expect(ask()).rejects.toThrow('socket hang up');
        expect(asked).toBe(5);
        await expect(ask()).resolves.toHaveLength(1);
        expect(asked).toBe(6);
      }
      await other.close();
      await new Promise((resolve) => http.close(resolve));
    });

    it('are whole, or said to have taken too long', async () => {
      const outcomes = { whole: 0, late: 0 };
      for (let round = 0; round < 200; round += 1) {
        faulty.readSettings = { max_execution_time: String((round % 100) / 5_000 + 0.000_1) };
        await server.read<Row>(statement(70_000), { text: TEXT }, BOUNDS).then(
          (rows) => {
            expect(rows).toHaveLength(70_000);
            outcomes.whole += 1;
          },
          (error: unknown) => {
            expect(isTooMuch(error)).toBe(true);
            outcomes.late += 1;
          },
        );
      }
      expect(outcomes.late).toBeGreaterThan(0);
    });

    it('may be left before their end', async () => {
      for await (const some of server.stream<Row>(statement(70_000), { text: TEXT }, BOUNDS)) {
        expect(some[0]).toEqual({ n: 0, text: TEXT });
        break;
      }
    });
  });
}

if ('absent' in clickHouse)
  it.skip(`needs ClickHouse for the tests of its answers: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
