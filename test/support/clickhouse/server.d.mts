export interface OwnClickHouse {
  /** The same after a restart. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends it the way a crash does. */
  kill9(): Promise<void>;
  /** Starts it again on its folder and port; ends it first when it runs. */
  restart(): Promise<void>;
}

/** Rejects where this machine has none. `download`: whether to download the engine when the cache does not have it. */
export function startClickHouse(options?: { download?: boolean }): Promise<OwnClickHouse>;
