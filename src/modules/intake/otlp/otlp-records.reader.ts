import { Injectable } from '@nestjs/common';
import { parseJsonBody } from '../../../platform/http/fields/index.js';
import { LARGE_BYTES, LargeBodies } from '../../../platform/http/large-bodies.js';
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
  /** The project, whose large bodies wait for each other. */
  readonly holder: string;
}

/**
 * Reads the records of an export request. Records are decoded one by one while they are consumed, so that only one of
 * them is in memory as objects. Only JSON is parsed at once.
 */
@Injectable()
export class OtlpRecordsReader {
  constructor(private readonly large: LargeBodies) {}

  /** @throws UndecodableBody here or while the records are consumed; ServiceOverloaded */
  async logs(body: OtlpBody): Promise<Iterable<Of<LogRecord>>> {
    return decoded(body.isJson ? logsOf(await this.json(body)) : readLogs(body.bytes));
  }

  /** As {@link logs}. */
  async traces(body: OtlpBody): Promise<Iterable<Of<Span>>> {
    return decoded(body.isJson ? tracesOf(await this.json(body)) : readTraces(body.bytes));
  }

  /** Returns the number of points. @throws UndecodableBody, ServiceOverloaded */
  async points(body: OtlpBody): Promise<number> {
    if (body.isJson) return countPointsOf(await this.json(body));
    return decodedAtOnce(() => countPoints(body.bytes));
  }

  private async json({ bytes, holder }: OtlpBody): Promise<unknown> {
    const turn = bytes.length < LARGE_BYTES ? undefined : await this.large.turn(holder);
    try {
      const parsed = parseJsonBody(bytes, { exactNumbers: true, exactMembers: true });
      if ('issues' in parsed || parsed.value === undefined) throw new UndecodableBody();
      await turn?.rest();
      return parsed.value;
    } finally {
      turn?.end();
    }
  }
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
