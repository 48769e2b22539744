export interface RedisServer {
  /** Without a database number. */
  readonly url: string;
  /** The same after a restart. */
  readonly port: number;
  readonly pid: number;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends it the way a crash does; its data is gone unless it is durable. */
  kill9(): Promise<void>;
  /** Starts it again on the same port, empty unless it is durable; ends it first when it runs. */
  restart(): Promise<void>;
}

/** Rejects when `redis-server` (or the program at TEST_REDIS_SERVER) is not there or does not start. */
export function startRedisServer(options?: { durable?: boolean; install?: boolean }): Promise<RedisServer>;
