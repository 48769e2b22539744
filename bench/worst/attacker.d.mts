export interface Answer {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The status is 0 for an incomplete answer. */
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  /** The beginning of the body. */
  readonly text: string;
}

export interface Target {
  readonly url: string;
  readonly dataDir: string;
}

export class Attacker {
  static open(service: Target, lift: (organizationId: string) => unknown): Promise<Attacker>;
  readonly email: string;
  readonly password: string;
  readonly bearer: string;
  readonly organizationId: string;
  readonly projectId: string;
  answers: Answer[];
  inNewProject(): Promise<Attacker>;
  movedTo(service: Target): this;
  leave(): Promise<void>;
  close(): void;
  get(path: string): Promise<Answer & { json(): unknown }>;
  event(payload: object, more?: object): Promise<Answer & { json(): unknown }>;
  send(
    method: string,
    path: string,
    options?: { body?: string; headers?: Readonly<Record<string, string>> },
  ): Promise<Answer & { json(): unknown }>;
}
