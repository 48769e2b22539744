import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { FilterSubject } from '../../conditions/index.js';
import type { TimeWindow } from '../../totals/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import { CandidatesRepository, type Reading } from './candidates.repository.js';

/** Between two of these it is asked whether there is time left. */
const EVENTS_OF_A_STRETCH = 64;

/** @returns whether others may still be wanted */
type Visit = (row: CandidateRow, subject: FilterSubject, number: number) => boolean;

/** Goes through the candidates of a window with what conditions are asked about, and lets other requests in between. */
@Injectable()
export class CandidateWalk {
  constructor(private readonly candidates: CandidatesRepository) {}

  /**
   * @param visit what becomes of each, counted from 1
   * @returns how many were looked at
   * @throws QueryTooLong
   */
  async through(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    window: TimeWindow,
    selection: CandidateSelection,
    reading: Reading,
    visit: Visit,
  ): Promise<number> {
    const { deadline } = reading;
    const others = new EventLoopYield();
    let scanned = 0;
    for await (const rows of this.candidates.read(tx, scope, window, selection, reading)) {
      for (const row of rows) {
        scanned += 1;
        if (scanned % EVENTS_OF_A_STRETCH === 0) {
          await others.ifDue();
          deadline.left();
        }
        const subject = selection.isLarge(row)
          ? selection.subject(row, await this.candidates.properties(tx, scope, row, selection.propertyNames, deadline))
          : selection.subject(row);
        deadline.nextEvent();
        const startedAt = performance.now();
        if (!visit(row, subject, scanned)) return scanned;
        if (deadline.isPauseDue()) {
          await others.after(performance.now() - startedAt);
          deadline.left();
        }
      }
    }
    return scanned;
  }
}
