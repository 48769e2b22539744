import type { Redaction } from '../../tenancy/projects/index.js';

/** Services for a protocol while it reads the body of a request. */
export interface Reading {
  /**
   * The redaction of the project. A mapper applies it before it renames members, because the paths of the project may
   * use the names of the sender.
   */
  readonly redaction: Redaction;
  /** Waits after a long step, such as the parsing of a large text, so that other requests are served. */
  readonly rest: () => Promise<void>;
}
