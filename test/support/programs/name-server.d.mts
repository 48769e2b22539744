/** The texts of TXT records, an error, or no answer at all. */
export type TxtReply = readonly string[] | 'no such name' | 'server failure' | 'silence';

export interface NameServer {
  /** The `address:port`. */
  readonly address: string;
  /** The replies by name in lower case. Other names do not exist. */
  readonly replies: Map<string, TxtReply>;
  close(): Promise<void>;
}

export function startNameServer(): Promise<NameServer>;
export function startControlledNameServer(
  stops: (() => Promise<void>)[],
): Promise<{ readonly address: string; readonly control: string }>;
