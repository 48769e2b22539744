import { parseItem, type Reading } from '../core/index.js';
import { logsOf } from './json/logs.js';
import { countPointsOf } from './json/metrics.js';
import { tracesOf } from './json/traces.js';
import { UndecodableBody } from './limits.js';
import { readLogs } from './protobuf/logs.js';
import { countPoints } from './protobuf/metrics.js';
import { readTraces } from './protobuf/traces.js';
import type { LogRecord, Of, Span } from './records.js';

/** The bytes of a body, and whether they are JSON or protobuf. */
export interface OtlpBody {
  readonly bytes: Buffer;
  readonly isJson: boolean;
}

type Rest = Pick<Reading, 'rest'>;

/**
 * Reads the log records of an export request. They are decoded while they are consumed, so that only one of them is in
 * memory as objects. A JSON body, however, is parsed as a whole.
 * @throws UndecodableBody here or while the records are consumed
 */
export async function readLogRecords(body: OtlpBody, rest: Rest): Promise<Iterable<Of<LogRecord>>> {
  return decoded(body.isJson ? logsOf(await jsonOf(body, rest)) : readLogs(body.bytes));
}

/** Reads the spans of an export request, as {@link readLogRecords} does with log records. */
export async function readSpans(body: OtlpBody, rest: Rest): Promise<Iterable<Of<Span>>> {
  return decoded(body.isJson ? tracesOf(await jsonOf(body, rest)) : readTraces(body.bytes));
}

/** Returns the number of points of metrics. @throws UndecodableBody */
export async function countMetricPoints(body: OtlpBody, rest: Rest): Promise<number> {
  if (body.isJson) return countPointsOf(await jsonOf(body, rest));
  return decodedAtOnce(() => countPoints(body.bytes));
}

async function jsonOf({ bytes }: OtlpBody, { rest }: Rest): Promise<unknown> {
  const parsed = parseItem(bytes);
  if ('issues' in parsed || parsed.value === undefined) throw new UndecodableBody();
  await rest();
  return parsed.value;
}

function* decoded<Item>(records: Iterable<Item>): Generator<Item, void> {
  try {
    yield* records;
  } catch (error) {
    throw refusalOf(error);
  }
}

function decodedAtOnce<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The reader of protobuf throws plain errors and range errors, and nothing else does. */
function refusalOf(error: unknown): unknown {
  const isOfReader = error instanceof RangeError || (error instanceof Error && error.constructor === Error);
  return isOfReader ? new UndecodableBody() : error;
}
