import { ArrayParameter } from '../../../../platform/database/array-parameter.js';
import type { PendingWrite } from './pending-write.js';

/** Converts the traces of a batch into parameters. The buffers are reused for each batch of a connection. */
export class BatchTraces {
  private readonly arrays = {
    project: new ArrayParameter('uuid'),
    first: new ArrayParameter('int4'),
    last: new ArrayParameter('int4'),
    traceparent: new ArrayParameter('text'),
  };

  /**
   * Returns for each traced request its project, the numbers of its first and last event in the batch, from 1, and its
   * trace. Returns null when no request is traced. Traces of events that are refused afterwards are stored, too. No
   * alert reads them, and they expire. The parameters are valid until the next call.
   */
  of(batch: readonly PendingWrite[]): readonly Buffer[] | null {
    if (batch.every(({ request }) => request.traceparent === undefined)) return null;
    const { project, first, last, traceparent } = this.arrays;
    for (const array of Object.values(this.arrays)) array.reset();
    let before = 0;
    for (const { request, events } of batch) {
      if (request.traceparent !== undefined) {
        project.add(request.sender.projectId);
        first.add(before + 1);
        last.add(before + events.length);
        traceparent.add(request.traceparent);
      }
      before += events.length;
    }
    return [project.toBuffer(), first.toBuffer(), last.toBuffer(), traceparent.toBuffer()];
  }
}
