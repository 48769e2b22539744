/**
 * The body of a request or answer. For a stream it is the data of one message. It is text when the media type is not
 * JSON.
 */
export interface ExampleBody {
  readonly type: string;
  readonly value: unknown;
}

/** A request that was answered with success. */
export interface Example {
  /** The parameters of path and query by name, in the types of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly request?: ExampleBody;
  readonly answer?: ExampleBody;
}

/** The examples by the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;
