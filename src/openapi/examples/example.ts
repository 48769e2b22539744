/** A body as it was sent or answered: of a stream the data of one message, else text where the media type is not JSON. */
export interface ExampleBody {
  readonly type: string;
  readonly value: unknown;
}

/** A request that was answered with success. */
export interface Example {
  /** Of the path and the query, by name, as their schemas have them. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly request?: ExampleBody;
  readonly answer?: ExampleBody;
}

/** By the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;
