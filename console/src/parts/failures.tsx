import { isRefusal, type Schemas, UnexpectedAnswer } from '@operational-events/client';
import { Alert, Code, Text } from '@mantine/core';
import { SessionUnavailable } from '../api/session.js';
import { waitOf } from '../api/waiting.js';

/** The person has cancelled what they began, so no error is shown. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** An error of the page itself. The message is written for people. */
export class Explained extends Error {}

/** Returns an error as a sentence for people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Explained) return error.message;
  if (isRefusal(error)) {
    if (error.rows.length > 0) return error.rows.map(sentenceOfRow).join('. ');
    if (error.status === 429) return `Too many requests at once. Try again ${laterInWords(waitOf(error))}.`;
    if (typeof error.detail === 'string') return error.detail;
    const reason = (error.detail as { reason?: unknown } | null)?.reason;
    return typeof reason === 'string' ? reason : `The service refused it (${error.status}).`;
  }
  if (error instanceof UnexpectedAnswer) return `The answer (${error.status}) is not one of the service's.`;
  if (error instanceof Error && error.name === 'NotAllowedError')
    return 'The passkey was not used: it was cancelled, or took too long.';
  if (error instanceof SessionUnavailable && error.status !== null)
    return `The service refused to keep the session (${error.status}).`;
  return 'The service cannot be reached. Check the connection, or wait a moment.';
}

/** Returns the time of the next try, such as "in 20 seconds". */
function laterInWords(wait: number | null): string {
  if (wait === null) return 'in a moment';
  if (wait <= 1_000) return 'in a second';
  if (wait < 120_000) return `in ${Math.ceil(wait / 1_000)} seconds`;
  return `in ${Math.ceil(wait / 60_000)} minutes`;
}

/** Words of the API that precede a sentence for people. */
const API_WORDS = /^(Value error|Assertion failed), /;

function sentenceOfRow({ loc, msg }: Schemas['ValidationRow']): string {
  const sentence = msg.replace(API_WORDS, '');
  const name = String(loc.at(-1));
  // Some sentences begin with the name of the field.
  return sentence.startsWith(`${name} `)
    ? fieldOf(['', name]) + sentence.slice(name.length)
    : `${fieldOf(loc)}: ${sentence}`;
}

function fieldOf(loc: readonly (string | number)[]): string {
  const name = loc.slice(1).join('.') || 'request';
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

function requestIdOf(error: unknown): string | null {
  if (isRefusal(error) || error instanceof SessionUnavailable) return error.requestId;
  return error instanceof UnexpectedAnswer ? error.headers.get('X-Request-ID') : null;
}

interface Props {
  readonly error: unknown;
  readonly title?: string;
}

/** Shows an error, or nothing without one. The request id finds the line in the service's log. */
export function Failure({ error, title }: Props) {
  if (error === null || error === undefined || error instanceof Cancelled) return null;
  const requestId = requestIdOf(error);
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      <Text size="sm">{sentenceOf(error)}</Text>
      {requestId !== null && (
        <Text size="xs" mt={4} c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
