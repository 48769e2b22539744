import type { TestApp } from '../../support/app.js';
import type { HostileProvider } from '../../support/hostile-provider.js';

/** Two instances of the service on one database and one data folder. */
export interface Instances {
  readonly app: TestApp;
  readonly second: TestApp;
  /** The company provider `acme` of both instances. */
  readonly provider: HostileProvider;
}
