import { SystemClock } from '../../../platform/clock/index.js';
import {
  type DestinationSafety,
  OutboundHttp,
  type OutboundOutcome,
  type OutboundRequest,
} from '../../../platform/outbound-http/index.js';
import { Faults } from './faults.js';
import { WatchedStatements } from './watched-statements.js';

/** The clock, the faults and the recorded statements of a process that has a TEST_CONTROL_TOKEN. */
export class TestControls {
  readonly faults = new Faults();
  readonly clock = new MovableClock();
  readonly statements = new WatchedStatements(this.faults);

  outboundHttp(safety: DestinationSafety): OutboundHttp {
    return new FaultyOutboundHttp(safety, this.faults);
  }
}

/** The host's clock and what a test has moved it by. The clock of the database stays. */
class MovableClock extends SystemClock {
  private movedMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.movedMs);
  }

  /** @param ms milliseconds; a negative number moves back */
  move(ms: number): void {
    this.movedMs += ms;
  }
}

/** Simulates the loss of the connection when a test has requested it. Nothing is sent then. */
class FaultyOutboundHttp extends OutboundHttp {
  constructor(
    safety: DestinationSafety,
    private readonly faults: Faults,
  ) {
    super(safety);
  }

  override async send(request: OutboundRequest): Promise<OutboundOutcome> {
    if (!this.faults.take('next-outbound-call', URL.parse(request.url)?.host)) return super.send(request);
    return { kind: 'failure', reason: 'connection_reset', message: 'A test made this call fail', durationMs: 0 };
  }
}
