export interface RedisServer {
  /** Without a database number. */
  readonly url: string;
  /** The same after a restart. */
  readonly port: number;
  readonly pid: number;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends it the way a crash does; its data is gone. */
  kill9(): Promise<void>;
  /** Starts it again, empty, on the same port; ends it first when it runs. */
  restart(): Promise<void>;
}

/** Rejects when `redis-server` (or the program at TEST_REDIS_SERVER) is not there or does not start. */
export function startRedisServer(): Promise<RedisServer>;
