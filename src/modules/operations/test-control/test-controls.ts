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

/** The host's clock plus the offset that a test has set. The clock of the database is not moved. */
class MovableClock extends SystemClock {
  private movedMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.movedMs);
  }

  /** @param ms milliseconds to add to the offset; a negative number moves the clock back */
  move(ms: number): void {
    this.movedMs += ms;
  }
}

/** Simulates the loss of a connection when a test has requested it. Such a request is not sent. */
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
