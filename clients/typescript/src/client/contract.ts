import type { components, operations } from '../generated/schema.js';

/** Every schema of the service by its name, such as `Schemas['ProjectResponse']`. */
export type Schemas = components['schemas'];
/** Such as `createProject`: the `operationId` of the API document. */
export type OperationName = keyof operations;

type SuccessStatus = 200 | 201 | 202 | 204 | 206;
type RefusedStatus<Responses> = Exclude<keyof Responses, SuccessStatus | 304>;

/** What is sent as it is. A string is UTF-8; a stream can be sent once, so nothing sends it again. */
export type RawBody = string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

type Sent<Media, Schema> = Media extends 'application/json' | 'application/x-www-form-urlencoded'
  ? Schema
  : Media extends 'multipart/form-data'
    ? FormData
    : RawBody;
type BodyOf<Content> = { [Media in keyof Content]: Sent<Media, Content[Media]> }[keyof Content];
type BodyPart<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { readonly body: BodyOf<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { readonly body?: BodyOf<Content> }
    : unknown;

/** Of `path`, `query` and `header` those that the operation has; each may be left out when nothing of it is required. */
type Places<Parameters> = {
  readonly [
    Place in keyof Parameters as [Exclude<Parameters[Place], undefined>] extends [never] ? never : Place
  ]: Parameters[Place];
};

/** What an operation takes: `path`, `query`, `header` and `body`, as far as it has them. */
export type Arguments<Name extends OperationName> = Places<operations[Name]['parameters']> & BodyPart<operations[Name]>;

declare const MESSAGE: unique symbol;
/** The open answer of a stream; `stream` reads it. */
export interface EventStreamAnswer<Message> extends Response {
  readonly [MESSAGE]?: Message;
}

type AnswerOf<One> = One extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : Content extends { 'text/event-stream': infer Message }
      ? EventStreamAnswer<Message>
      : Response
  : undefined;

/**
 * What an operation resolves with: its JSON, `undefined` where it has none, and a `Response` to read from where it is a
 * file or a stream.
 */
export type Answer<Name extends OperationName> = AnswerWith<Name, SuccessStatus>;

type AnswerWith<Name extends OperationName, Status extends SuccessStatus> = AnswerOf<
  operations[Name]['responses'][Status & keyof operations[Name]['responses']]
>;

type DetailOf<One> = One extends { content: { 'application/json': infer Json } }
  ? Json extends { detail: infer Detail }
    ? Detail
    : Json
  : unknown;
/** How an operation may be refused: `status` tells which `detail` it is. */
export type RefusalFacts<Name extends OperationName> = Name extends OperationName
  ? {
      [Status in RefusedStatus<operations[Name]['responses']>]: {
        readonly operation: Name;
        readonly status: Status;
        readonly detail: DetailOf<operations[Name]['responses'][Status]>;
      };
    }[RefusedStatus<operations[Name]['responses']>]
  : never;

export interface CallOptions {
  /** Ends the call, also while it waits for another try; it is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An operation of the client. It rejects with a `Refusal`, an `UnexpectedAnswer`, or what `fetch` rejects with. */
export type Call<Name extends OperationName> =
  operations[Name]['responses'] extends Record<200 | 201, unknown>
    ? CallWithPreview<Name>
    : object extends Arguments<Name>
      ? (args?: Arguments<Name>, options?: CallOptions) => Promise<Answer<Name>>
      : (args: Arguments<Name>, options?: CallOptions) => Promise<Answer<Name>>;

/** An operation that creates something, or with `preview: true` stores nothing and answers 200. */
interface CallWithPreview<Name extends OperationName> {
  (
    args: Arguments<Name> & { readonly body: { readonly preview: true } },
    options?: CallOptions,
  ): Promise<Exclude<AnswerWith<Name, 200>, AnswerWith<Name, 201>>>;
  (
    args: Arguments<Name> & { readonly body: { readonly preview?: false } },
    options?: CallOptions,
  ): Promise<AnswerWith<Name, 201>>;
  (args: Arguments<Name>, options?: CallOptions): Promise<Answer<Name>>;
}
