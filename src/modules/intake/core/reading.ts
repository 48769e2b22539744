import type { Redaction } from '../../tenancy/projects/index.js';

/** Helps a protocol to read the body of a request. */
export interface Reading {
  /**
   * Masks what the project redacts. A mapper masks members before it gives them other names, because the paths of the
   * project may name them as the sender does.
   */
  readonly redaction: Redaction;
  /** Waits after a long step, such as the parsing of a large text, so that other requests are served. */
  readonly rest: () => Promise<void>;
}
