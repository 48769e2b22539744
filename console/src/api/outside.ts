import { type OperationName, Refusal, type Tokens, UnexpectedAnswer } from '@operational-events/client';
import { renew, session } from './session.js';
import { observedFetch } from './waiting.js';

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to a path outside of `/v1`, which the client does not have. An expired access token is renewed once.
 * @param like an operation with refusals of the same form
 * @throws Refusal, UnexpectedAnswer
 */
export async function requestOutside<Answer>(
  path: string,
  like: OperationName,
  { method = 'GET', body, signal }: Request = {},
): Promise<Answer> {
  const ask = (tokens: Tokens | null): Promise<Response> => {
    const headers = {
      Authorization: `Bearer ${tokens?.access_token ?? ''}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return observedFetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  };
  const { tokens } = session;
  let response = await ask(tokens);
  if (response.status === 401 && tokens !== null) response = await ask(await session.renew(tokens, renew));
  if (response.status === 204) return undefined as Answer;
  const answer: unknown = await response.json().catch((cause: unknown) => {
    throw new UnexpectedAnswer(like, response.status, response.headers, { cause });
  });
  if (response.ok) return answer as Answer;
  throw new Refusal(like, response.status, (answer as { readonly detail?: unknown } | null)?.detail, response.headers);
}
