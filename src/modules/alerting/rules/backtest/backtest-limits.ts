import { Injectable } from '@nestjs/common';

/** How far a back-test goes. */
@Injectable()
export class BacktestLimits {
  /** A request waits no longer once its turn has come; what was seen by then is answered. */
  mostMs = 10_000;
  /** Of these, for events that have to be fetched from where old ones are kept. */
  lendingMs = 5_000;
  /** Events that fit, of rules that match each by itself. */
  mostEvents = 5_000;
  firings = 500;
  /** Of what the firings tell, as JSON text. */
  toldBytes = 4 * 1024 * 1024;
  /** Events that are looked for at a time. */
  places = 500;
  /** Of what is read of them at a time; a single event may be larger. */
  readBytes = 1024 * 1024;
}
